<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>QAbstractSpinBox</name>
    <message>
        <source>&amp;Step up</source>
        <translation>增大(&amp;S)</translation>
    </message>
    <message>
        <source>Step &amp;down</source>
        <translation>减小(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Select All</source>
        <translation>全选(&amp;S)</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>Look in:</source>
        <translation>查找范围：</translation>
    </message>
    <message>
        <source>File &amp;name:</source>
        <translation>文件名(&amp;N)：</translation>
    </message>
    <message>
        <source>Files of type:</source>
        <translation>文件类型：</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Directory:</source>
        <translation>目录：</translation>
    </message>
</context>
<context>
    <name>QFileSystemModel</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Date Modified</source>
        <translation>修改日期</translation>
    </message>
</context>
<context>
    <name>QLineEdit</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save All</source>
        <translation>全部保存</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>是(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>否(&amp;N)</translation>
    </message>
    <message>
        <source>Abort</source>
        <translation>中止</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Ignore</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Don&apos;t Save</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Restore Defaults</source>
        <translation>恢复默认值</translation>
    </message>
</context>
<context>
    <name>QUndoView</name>
    <message>
        <source>&lt;empty&gt;</source>
        <translation>&lt;空&gt;</translation>
    </message>
</context>
<context>
    <name>nnpiper::ComparisonModel</name>
    <message>
        <source>stages: %1, micro-batches: %2</source>
        <translation>阶段数：%1，微批次数：%2</translation>
    </message>
    <message>
        <source>makespan %1, iteration %2, bubble %3</source>
        <translation>总时长 %1，迭代 %2，气泡 %3</translation>
    </message>
    <message>
        <source>planned in %1</source>
        <translation>规划用时 %1</translation>
    </message>
    <message>
        <source>proved: no plan is faster than %1</source>
        <translation>已证明：任何方案都不快于 %1</translation>
    </message>
    <message>
        <source>the search was stopped at its time limit</source>
        <translation>搜索到达时限后停止</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最优</translation>
    </message>
    <message>
        <source>infeasible</source>
        <translation>不可行</translation>
    </message>
</context>
<context>
    <name>nnpiper::ComparisonPanel</name>
    <message>
        <source>%1 is planning</source>
        <translation>%1 正在规划</translation>
    </message>
    <message>
        <source>samples/s · higher is better</source>
        <translation>样本/秒 · 越高越好</translation>
    </message>
    <message>
        <source>makespan · lower is better</source>
        <translation>总时长 · 越低越好</translation>
    </message>
    <message>
        <source>Why %1 wins here</source>
        <translation>%1 为何胜出</translation>
    </message>
    <message>
        <source>Why no plan fits</source>
        <translation>为何没有可行方案</translation>
    </message>
    <message>
        <source>Compare planners</source>
        <translation>规划器对比</translation>
    </message>
    <message>
        <source>Planners by predicted throughput</source>
        <translation>按预测吞吐量排列的规划器</translation>
    </message>
    <message>
        <source>Nothing to compare yet</source>
        <translation>暂无可对比的方案</translation>
    </message>
    <message>
        <source>Press Solve: NN-Piper and the classic planners work on the same cluster and model.</source>
        <translation>点击“求解”：NN-Piper 与经典规划器将在同一集群和模型上给出方案。</translation>
    </message>
    <message>
        <source>Export plan…</source>
        <translation>导出方案…</translation>
    </message>
    <message>
        <source>Save the shown plan as JSON</source>
        <translation>将当前方案保存为 JSON</translation>
    </message>
    <message>
        <source>Export trace…</source>
        <translation>导出时间线…</translation>
    </message>
    <message>
        <source>Save the timeline for chrome://tracing or Perfetto</source>
        <translation>保存时间线，可用 chrome://tracing 或 Perfetto 打开</translation>
    </message>
</context>
<context>
    <name>nnpiper::ExampleCard</name>
    <message>
        <source>%1 devices in %2 machines · %3</source>
        <translation>%2 台机器共 %1 个设备 · %3</translation>
    </message>
</context>
<context>
    <name>nnpiper::Explanation</name>
    <message>
        <source>No stage takes longer than %1 a micro-batch (stage %2); the balance is %3, with %4 %5</source>
        <translation>每个阶段处理一个微批次不超过 %1（阶段 %2 最慢）；负载均衡度 %3，而 %4 为 %5</translation>
    </message>
    <message>
        <source>No stage takes longer than %1 a micro-batch (stage %2); the balance is %3</source>
        <translation>每个阶段处理一个微批次不超过 %1（阶段 %2 最慢）；负载均衡度 %3</translation>
    </message>
    <message>
        <source>%1 of %2 boundaries cross a slow route (%3); with %4 it is %5</source>
        <translation>%2 个阶段边界中有 %1 个经过慢速链路（%3）；%4 则有 %5 个</translation>
    </message>
    <message>
        <source>Only %1 of %2 boundaries cross a slow route (%3)</source>
        <translation>%2 个阶段边界中仅 %1 个经过慢速链路（%3）</translation>
    </message>
    <message>
        <source>Messages hide behind the work: the busiest link needs %1 of the slowest stage&apos;s time</source>
        <translation>通信被计算掩盖：最忙的链路只占最慢阶段时间的 %1</translation>
    </message>
    <message>
        <source>The link behind stage %1 sets the pace: it needs %2 of the slowest stage&apos;s time</source>
        <translation>阶段 %1 之后的链路决定节拍：其用时为最慢阶段的 %2</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time, with %2 %3</source>
        <translation>设备空闲时间占 %1，而 %2 为 %3</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time</source>
        <translation>设备空闲时间占 %1</translation>
    </message>
    <message>
        <source>It leaves %1 unused; no compared plan that uses it is faster</source>
        <translation>未使用 %1；参与对比的方案中，使用它的都不会更快</translation>
    </message>
    <message>
        <source>It leaves %1 of %2 devices unused; no compared plan that uses them is faster</source>
        <translation>%2 个设备中有 %1 个未使用；参与对比的方案中，使用它们的都不会更快</translation>
    </message>
    <message>
        <source>It fits: the fullest device is filled to %1, while the plan of %2 does not fit</source>
        <translation>显存足够：占用最高的设备为 %1，而 %2 的方案显存不足</translation>
    </message>
    <message>
        <source>It fits: the fullest device is filled to %1, while %2 other plans do not fit</source>
        <translation>显存足够：占用最高的设备为 %1，而另有 %2 个方案显存不足</translation>
    </message>
    <message>
        <source>It is %1 faster than %2, the next best</source>
        <translation>比次优的 %2 快 %1</translation>
    </message>
</context>
<context>
    <name>nnpiper::MemoryBars</name>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>parameters, gradients, optimizer: %1</source>
        <translation>参数、梯度、优化器：%1</translation>
    </message>
    <message>
        <source>activations: %1 (%2 micro-batches of %3)</source>
        <translation>激活：%1（%2 个微批次，每个 %3）</translation>
    </message>
    <message>
        <source>transient: %1</source>
        <translation>临时：%1</translation>
    </message>
    <message>
        <source>message buffers: %1</source>
        <translation>通信缓冲：%1</translation>
    </message>
    <message>
        <source>%1 to spare</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>%1 too much</source>
        <translation>超出 %1</translation>
    </message>
</context>
<context>
    <name>nnpiper::MemoryView</name>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>No memory figures yet</source>
        <translation>暂无显存数据</translation>
    </message>
    <message>
        <source>Press Solve: every device shows what fills it and what is left.</source>
        <translation>点击“求解”：查看每个设备的显存占用与余量。</translation>
    </message>
    <message>
        <source>state</source>
        <translation>模型状态</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>transient</source>
        <translation>临时</translation>
    </message>
    <message>
        <source>buffers</source>
        <translation>缓冲</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>容量</translation>
    </message>
</context>
<context>
    <name>nnpiper::PlanStrip</name>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Layers by stage. Left and right arrows move the chosen boundary, with Ctrl they choose another one.</source>
        <translation>按阶段排列的层。左右方向键移动选中的边界，按住 Ctrl 则选择另一条边界。</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 层</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>layer %1: %2</source>
        <translation>第 %1 层：%2</translation>
    </message>
    <message>
        <source>stage %1 on %2</source>
        <translation>阶段 %1，位于 %2</translation>
    </message>
    <message>
        <source>layers %1 to %2</source>
        <translation>第 %1 至 %2 层</translation>
    </message>
    <message>
        <source>%1 a micro-batch, %2 in flight</source>
        <translation>每个微批次 %1，在途 %2 个</translation>
    </message>
    <message>
        <source>Plan · %1</source>
        <translation>方案 · %1</translation>
    </message>
    <message>
        <source>%1 stages over %2 layers, drag a boundary to move layers; the prediction follows</source>
        <translation>%2 层分为 %1 个阶段；拖动边界可移动层，预测随之更新</translation>
    </message>
    <message>
        <source>one stage holds all %1 layers</source>
        <translation>全部 %1 层在一个阶段中</translation>
    </message>
    <message>
        <source>No plan yet: press Solve to divide the model among the devices.</source>
        <translation>暂无方案：点击“求解”，将模型切分到各设备上。</translation>
    </message>
</context>
<context>
    <name>nnpiper::Planner</name>
    <message>
        <source>NN-Piper, raw answer</source>
        <translation>NN-Piper 原始输出</translation>
    </message>
    <message>
        <source>Same procedure, no network</source>
        <translation>同一流程，无网络</translation>
    </message>
    <message>
        <source>Local search</source>
        <translation>局部搜索</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确求解</translation>
    </message>
    <message>
        <source>Subset DP</source>
        <translation>子集动态规划</translation>
    </message>
    <message>
        <source>Greedy by speed</source>
        <translation>按速度贪心</translation>
    </message>
    <message>
        <source>Uniform (GPipe)</source>
        <translation>均分 (GPipe)</translation>
    </message>
</context>
<context>
    <name>nnpiper::StartPage</name>
    <message>
        <source>NN-Piper Workbench</source>
        <translation>NN-Piper 工作台</translation>
    </message>
    <message>
        <source>Draw a cluster of mixed GPUs, choose a model, and get a pipeline-parallel training plan while you watch.</source>
        <translation>画出异构 GPU 集群，选择模型，即刻得到流水线并行训练方案。</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近打开</translation>
    </message>
    <message>
        <source>Projects that you open or save are listed here.</source>
        <translation>打开或保存过的项目会显示在这里。</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>The folder with the example projects was not found beside the program.</source>
        <translation>未在程序旁找到示例项目文件夹。</translation>
    </message>
    <message>
        <source>Draw</source>
        <translation>绘制</translation>
    </message>
    <message>
        <source>Drag machines, cards and switches onto the canvas and connect them.</source>
        <translation>将机器、加速卡和交换机拖到画布上并连接。</translation>
    </message>
    <message>
        <source>Solve</source>
        <translation>求解</translation>
    </message>
    <message>
        <source>NN-Piper plans in milliseconds, beside classic planners on the same problem.</source>
        <translation>NN-Piper 在毫秒内给出方案，并与经典规划器同台对比。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Take the plan as JSON, the timeline as a trace or a picture.</source>
        <translation>方案导出为 JSON，时间线导出为 trace 或图片。</translation>
    </message>
</context>
<context>
    <name>nnpiper::Timeline</name>
    <message>
        <source>%1 · micro-batch %2 · stage %3</source>
        <translation>%1 · 微批次 %2 · 阶段 %3</translation>
    </message>
    <message>
        <source>waits for gradient from stage %1</source>
        <translation>等待阶段 %1 的梯度</translation>
    </message>
    <message>
        <source>waits for activations from stage %1</source>
        <translation>等待阶段 %1 的激活</translation>
    </message>
    <message>
        <source>starts as soon as the device is free (after %1 %2)</source>
        <translation>设备空闲后立即开始（在%1 %2 之后）</translation>
    </message>
    <message>
        <source>starts the iteration</source>
        <translation>迭代由此开始</translation>
    </message>
    <message>
        <source>device idle for %1 before it</source>
        <translation>此前设备空闲 %1</translation>
    </message>
    <message>
        <source>send gradient · micro-batch %1 · stage %2 → %3</source>
        <translation>发送梯度 · 微批次 %1 · 阶段 %2 → %3</translation>
    </message>
    <message>
        <source>send activations · micro-batch %1 · stage %2 → %3</source>
        <translation>发送激活 · 微批次 %1 · 阶段 %2 → %3</translation>
    </message>
    <message>
        <source>%1 on the link, %2 latency</source>
        <translation>链路占用 %1，延迟 %2</translation>
    </message>
    <message>
        <source>waited %1 for the link to be free</source>
        <translation>等待链路空闲 %1</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>backward (input)</source>
        <translation>反向（输入梯度）</translation>
    </message>
    <message>
        <source>backward (weights)</source>
        <translation>反向（权重梯度）</translation>
    </message>
</context>
<context>
    <name>nnpiper::TimelineRows</name>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
</context>
<context>
    <name>nnpiper::TimelineView</name>
    <message>
        <source>Wheel zooms, drag pans, F fits, click shows dependencies</source>
        <translation>滚轮缩放，拖动平移，F 适应窗口，单击显示依赖</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>makespan %1   ·   iteration %2   ·   bubble %3   ·   bottleneck %4</source>
        <translation>总时长 %1   ·   迭代 %2   ·   气泡 %3   ·   瓶颈：%4</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>No timeline yet</source>
        <translation>暂无时间线</translation>
    </message>
    <message>
        <source>Press Solve: the chart shows when every stage works, sends and waits for each micro-batch.</source>
        <translation>点击“求解”：图中显示各阶段对每个微批次的计算、发送与等待。</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Mark the chain of work and messages that decides the makespan (C)</source>
        <translation>标出决定总时长的计算与通信链 (C)</translation>
    </message>
    <message>
        <source>Show the whole iteration (F)</source>
        <translation>显示整个迭代 (F)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应窗口</translation>
    </message>
</context>
</TS>
