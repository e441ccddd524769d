// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a user calls it: arguments in, text and exit status out.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

struct Result {
    int status = -1;   ///< -2: it crashed
    QByteArray out;
    QByteArray err;
};

/// `variables` are NAME=value, beside those of the test itself.
inline Result call(const QStringList& arguments, const QStringList& variables = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& variable : variables)
        environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CLI), arguments);
    Result result;
    if (!process.waitForStarted() || !process.waitForFinished(300000))
        return result;
    result.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}
