// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/problem/collectives.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace nnpiper;
using nlohmann::json;

class TestCollectives : public QObject {
    Q_OBJECT

private slots:
    void closed_forms_data()
    {
        QTest::addColumn<QString>("text");
        const json document = json::parse(std::ifstream(TEST_DATA "/collectives.json"));
        int index = 0;
        for (const json& item : document.at("cases"))
            QTest::addRow("%d %s", index++, item.at("operation").get<std::string>().c_str())
                << QString::fromStdString(item.dump());
    }
    void closed_forms()
    {
        QFETCH(QString, text);
        const json item = json::parse(text.toStdString());
        const CommunicationSpeed speed{item.at("bytes_per_s"), item.at("latency_s")};
        const int n = item.at("devices");
        const double bytes = item.at("bytes");
        const std::string operation = item.at("operation");
        const double seconds = operation == "all-reduce"       ? ring_all_reduce_s(n, bytes, speed)
                               : operation == "reduce-scatter" ? ring_pass_s(n, bytes, speed)
                               : operation == "tree"           ? tree_all_reduce_s(n, bytes, speed)
                               : operation == "all-to-all"     ? all_to_all_s(n, bytes, speed)
                                                               : point_to_point_s(bytes, speed);
        QCOMPARE(seconds, item.at("seconds").get<double>());
    }

    void one_device_needs_none()
    {
        const CommunicationSpeed speed{1, 1};
        QCOMPARE(ring_pass_s(1, 1, speed) + tree_all_reduce_s(1, 1, speed) + all_to_all_s(1, 1, speed), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestCollectives)
#include "test_collectives.moc"
