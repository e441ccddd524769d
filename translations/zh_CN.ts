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
    <name>main</name>
    <message>
        <source>Draw a cluster, plan pipeline-parallel training on it, see the timeline.</source>
        <translation>绘制集群，规划流水线并行训练，查看时间线。</translation>
    </message>
    <message>
        <source>Project to open.</source>
        <translation>要打开的项目。</translation>
    </message>
    <message>
        <source>Plan the project as soon as it is open.</source>
        <translation>打开后立即规划。</translation>
    </message>
    <message>
        <source>Plan, save a picture of the window as OUT.png and end; needs no display with QT_QPA_PLATFORM=offscreen.</source>
        <translation>规划，将窗口图片保存为 OUT.png 后退出；设置 QT_QPA_PLATFORM=offscreen 时无需显示器。</translation>
    </message>
    <message>
        <source>light or dark.</source>
        <translation>light 或 dark。</translation>
    </message>
    <message>
        <source>Language code, for example zh_CN.</source>
        <translation>语言代码，例如 zh_CN。</translation>
    </message>
    <message>
        <source>Size of the window, for example 1680x1050.</source>
        <translation>窗口大小，例如 1680x1050。</translation>
    </message>
    <message>
        <source>--size: &quot;%1&quot; found, a size of at least 640x480 is allowed</source>
        <translation>--size：得到 &quot;%1&quot;，应为不小于 640x480 的尺寸</translation>
    </message>
    <message>
        <source>--theme: &quot;%1&quot; found, light and dark are allowed</source>
        <translation>--theme：得到 &quot;%1&quot;，应为 light 或 dark</translation>
    </message>
</context>
<context>
    <name>nnpiper::Actions</name>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open...</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as...</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Plan as JSON...</source>
        <translation>方案 (JSON)(&amp;P)…</translation>
    </message>
    <message>
        <source>Chrome &amp;trace...</source>
        <translation>Chrome trace(&amp;T)…</translation>
    </message>
    <message>
        <source>T&amp;imeline as PNG...</source>
        <translation>时间线 (PNG)(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Topology as PNG...</source>
        <translation>拓扑图 (PNG)(&amp;T)…</translation>
    </message>
    <message>
        <source>Start pa&amp;ge</source>
        <translation>起始页(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
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
        <source>&amp;Duplicate</source>
        <translation>创建副本(&amp;D)</translation>
    </message>
    <message>
        <source>De&amp;lete</source>
        <translation>删除(&amp;L)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Select</source>
        <translation>选择(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Connect</source>
        <translation>连接(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Pan</source>
        <translation>平移(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Topology</source>
        <translation>拓扑(&amp;T)</translation>
    </message>
    <message>
        <source>Model &amp;layers</source>
        <translation>模型层(&amp;L)</translation>
    </message>
    <message>
        <source>Ta&amp;ble</source>
        <translation>表格(&amp;B)</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;100 %</source>
        <translation>&amp;100 %</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Add &amp;node</source>
        <translation>添加节点(&amp;N)</translation>
    </message>
    <message>
        <source>Add &amp;switch</source>
        <translation>添加交换机(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Arrange</source>
        <translation>自动排列(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Solve</source>
        <translation>求解(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Live</source>
        <translation>实时(&amp;L)</translation>
    </message>
    <message>
        <source>Change &amp;model...</source>
        <translation>更换模型(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Drop the plan edited by hand</source>
        <translation>丢弃手动编辑的方案(&amp;D)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;About NN-Piper Workbench</source>
        <translation>关于 NN-Piper 工作台(&amp;A)</translation>
    </message>
    <message>
        <source>C&amp;alibrate to measured runs...</source>
        <translation>按实测校准(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;What if: which upgrade pays?</source>
        <translation>假设分析：哪项升级划算？(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Make several of these...</source>
        <translation>做成多个(&amp;M)...</translation>
    </message>
    <message>
        <source>&amp;Find...</source>
        <translation>查找(&amp;F)...</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Left edges</source>
        <translation>左对齐(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Centres</source>
        <translation>水平居中(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Right edges</source>
        <translation>右对齐(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Top edges</source>
        <translation>顶端对齐(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Middles</source>
        <translation>垂直居中(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Bottom edges</source>
        <translation>底端对齐(&amp;B)</translation>
    </message>
    <message>
        <source>Distribute &amp;across</source>
        <translation>横向等距(&amp;A)</translation>
    </message>
    <message>
        <source>Distribute &amp;down</source>
        <translation>纵向等距(&amp;D)</translation>
    </message>
    <message>
        <source>Leave the selected devices &amp;idle</source>
        <translation>让所选设备闲置(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Release the selected devices</source>
        <translation>解除所选设备的锁定(&amp;R)</translation>
    </message>
    <message>
        <source>Release all l&amp;ocks</source>
        <translation>解除所有锁定(&amp;O)</translation>
    </message>
    <message>
        <source>New device &amp;type...</source>
        <translation>新建设备类型(&amp;T)...</translation>
    </message>
    <message>
        <source>Re&amp;name...</source>
        <translation>重命名(&amp;N)...</translation>
    </message>
    <message>
        <source>&amp;Group into a rack</source>
        <translation>编组为机架(&amp;G)</translation>
    </message>
    <message>
        <source>Group into a s&amp;ite</source>
        <translation>编组为站点(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Ungroup</source>
        <translation>取消编组(&amp;U)</translation>
    </message>
    <message>
        <source>C&amp;ollapse or expand</source>
        <translation>折叠或展开(&amp;O)</translation>
    </message>
</context>
<context>
    <name>nnpiper::CalibrationDialog</name>
    <message>
        <source>Fitting...</source>
        <translation>正在拟合…</translation>
    </message>
    <message>
        <source>The shown plan cannot run on the present project: %1</source>
        <translation>当前显示的方案无法在现在的项目上运行：%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Open measured runs</source>
        <translation>打开实测数据</translation>
    </message>
    <message>
        <source>Measured runs (*.csv);;All files (*)</source>
        <translation>实测数据 (*.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>None of the fitted device types is in the open project, so there is nothing to apply.</source>
        <translation>当前项目中没有任何已拟合的设备类型，因此没有可应用的内容。</translation>
    </message>
    <message>
        <source>The plan that is shown, on the open project; type the time that you measured</source>
        <translation>当前项目上显示的方案；请输入您测得的时间</translation>
    </message>
    <message>
        <source>No plan is shown: solve the project first</source>
        <translation>没有显示的方案：请先求解项目</translation>
    </message>
    <message>
        <source>Calibrate to measured runs</source>
        <translation>按实测校准</translation>
    </message>
    <message>
        <source>&amp;Open CSV...</source>
        <translation>打开 CSV(&amp;O)…</translation>
    </message>
    <message>
        <source>A table of measured runs, as `nnpiper calibrate` reads it; or drop it here</source>
        <translation>实测运行的表格，格式与 nnpiper calibrate 相同；也可拖放到此处</translation>
    </message>
    <message>
        <source>&amp;Add current plan</source>
        <translation>添加当前方案(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Takes the selected runs out of the table</source>
        <translation>从表格中移除选中的运行</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>拟合(&amp;F)</translation>
    </message>
    <message>
        <source>A&amp;pply to project</source>
        <translation>应用到项目(&amp;P)</translation>
    </message>
    <message>
        <source>Sets the achieved fractions and the fixed cost of a step in the open project</source>
        <translation>在当前项目中设置实际比例和每步开销</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Fit a fixed cost per step too</source>
        <translation>同时拟合每步开销</translation>
    </message>
    <message>
        <source>Time that every step takes besides the pipeline, for example to load data</source>
        <translation>每步在流水线之外的用时，例如数据加载</translation>
    </message>
    <message>
        <source>No measured runs yet</source>
        <translation>还没有实测数据</translation>
    </message>
    <message>
        <source>Open a CSV file of measured runs, drop it here, or add the current plan and type the step time that you measured.</source>
        <translation>打开实测数据的 CSV 文件或将其拖放到此处，也可添加当前方案并输入您测得的单步时间。</translation>
    </message>
    <message>
        <source>Applied to %1 (%2). Undo takes it back.</source>
        <translation>已应用到 %1（%2）。可撤销。</translation>
    </message>
</context>
<context>
    <name>nnpiper::CalibrationText</name>
    <message>
        <source>%1, %2 stages, %3 micro-batches</source>
        <translation>%1，%2 个阶段，%3 个微批次</translation>
    </message>
    <message>
        <source>The measured step time of &quot;%1&quot; is missing: type it into the table.</source>
        <translation>缺少“%1”的实测单步时间：请在表格中输入。</translation>
    </message>
    <message>
        <source>Too few runs: %1 measured, but they use %2 device types. At least one run for each type is needed, better three.</source>
        <translation>运行次数太少：实测 %1 次，却用到 %2 种设备类型。每种类型至少需要一次运行，最好三次。</translation>
    </message>
    <message>
        <source>There are no more runs than constants, so nothing is left to check them on.</source>
        <translation>运行次数不多于常数个数，因此没有多余数据可供检验。</translation>
    </message>
    <message>
        <source>On runs that they were not fitted on, the constants err no less than before: keep the old ones, or measure more runs.</source>
        <translation>在未参与拟合的运行上，这些常数的误差并不比之前小：请保留原值，或测量更多运行。</translation>
    </message>
    <message>
        <source>The achieved fraction of %1 comes out at 100 %, the most there is: its peak in the project is too low, or a run did less work than its plan says.</source>
        <translation>%1 的实际比例达到上限 100 %：项目中其峰值设得太低，或某次运行的工作量少于方案所述。</translation>
    </message>
    <message>
        <source>The fixed cost of a step was left as it is: it needs two runs more than there are device types.</source>
        <translation>每步开销保持不变：拟合它需要比设备类型数多两次运行。</translation>
    </message>
</context>
<context>
    <name>nnpiper::CanvasMenu</name>
    <message>
        <source>More types</source>
        <translation>更多类型</translation>
    </message>
    <message>
        <source>&amp;Keep on stage %1</source>
        <translation>固定在阶段 %1(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Keep on their stages</source>
        <translation>固定在各自的阶段(&amp;K)</translation>
    </message>
    <message>
        <source>Keep on another s&amp;tage</source>
        <translation>固定在其他阶段(&amp;T)</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Leave &amp;idle</source>
        <translation>保持空闲(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Release</source>
        <translation>解除固定(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Type</source>
        <translation>类型(&amp;T)</translation>
    </message>
    <message>
        <source>Change type</source>
        <translation>更改类型</translation>
    </message>
    <message>
        <source>Put into &amp;node</source>
        <translation>放入节点(&amp;N)</translation>
    </message>
    <message>
        <source>Take &amp;out of the node</source>
        <translation>移出节点(&amp;O)</translation>
    </message>
    <message>
        <source>Select all %1</source>
        <translation>选择所有 %1</translation>
    </message>
    <message>
        <source>Select all of %1</source>
        <translation>选择 %1 的全部设备</translation>
    </message>
    <message>
        <source>Add &amp;device</source>
        <translation>添加设备(&amp;D)</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>T&amp;ype of its devices</source>
        <translation>其设备的类型(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Interconnect</source>
        <translation>互连(&amp;I)</translation>
    </message>
    <message>
        <source>Change interconnect</source>
        <translation>更改互连</translation>
    </message>
    <message>
        <source>Select its de&amp;vices</source>
        <translation>选择其设备(&amp;V)</translation>
    </message>
    <message>
        <source>Select its &amp;links</source>
        <translation>选择其链路(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Connect the selected elements to it by %1</source>
        <translation>用 %1 将所选元素连接到它(&amp;C)</translation>
    </message>
    <message>
        <source>Connect every &amp;node to it by %1</source>
        <translation>用 %1 将所有节点连接到它(&amp;N)</translation>
    </message>
    <message>
        <source>Select what it &amp;joins</source>
        <translation>选择它连接的元素(&amp;J)</translation>
    </message>
    <message>
        <source>Change link type</source>
        <translation>更改链路类型</translation>
    </message>
    <message>
        <source>New links like &amp;this one</source>
        <translation>新链路与此相同(&amp;T)</translation>
    </message>
    <message>
        <source>Put a &amp;switch into it</source>
        <translation>在其中插入交换机(&amp;S)</translation>
    </message>
    <message>
        <source>Select both &amp;ends</source>
        <translation>选择两端(&amp;E)</translation>
    </message>
    <message>
        <source>Add &amp;device here</source>
        <translation>在此添加设备(&amp;D)</translation>
    </message>
    <message>
        <source>Add &amp;node here</source>
        <translation>在此添加节点(&amp;N)</translation>
    </message>
    <message>
        <source>Add &amp;switch here</source>
        <translation>在此添加交换机(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Paste here</source>
        <translation>粘贴到此处(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Expand</source>
        <translation>展开(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Collapse</source>
        <translation>折叠(&amp;C)</translation>
    </message>
    <message>
        <source>Add a %1</source>
        <translation>添加一个 %1</translation>
    </message>
    <message>
        <source>Select its c&amp;ontents</source>
        <translation>选择其内容(&amp;O)</translation>
    </message>
</context>
<context>
    <name>nnpiper::CanvasView</name>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Draw your cluster here</source>
        <translation>在此绘制集群</translation>
    </message>
    <message>
        <source>Drag nodes and devices from the palette, or double-click them.
Then drag from the edge of one to another to connect them.</source>
        <translation>从组件面板拖入节点和设备，或双击添加。
再从一个元素的边缘拖到另一个元素，即可连接。</translation>
    </message>
    <message>
        <source>Plan of an earlier version: press Solve to renew it</source>
        <translation>方案基于较早的版本：点击“求解”更新</translation>
    </message>
    <message>
        <source>Add to %1</source>
        <translation>添加到 %1</translation>
    </message>
</context>
<context>
    <name>nnpiper::ChoiceBox</name>
    <message>
        <source>several values</source>
        <translation>多个值</translation>
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
    <message>
        <source>proved: within %1 of the best possible plan</source>
        <translation>已证明：与最优方案相差不超过 %1</translation>
    </message>
    <message>
        <source>proved: no plan with one device a stage is faster than %1</source>
        <translation>已证明：每阶段单设备的方案都不快于 %1</translation>
    </message>
    <message>
        <source>within %1</source>
        <translation>差距 ≤ %1</translation>
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
    <name>nnpiper::ContainerEdits</name>
    <message>
        <source>Add rack</source>
        <translation>添加机架</translation>
    </message>
    <message>
        <source>Add site</source>
        <translation>添加站点</translation>
    </message>
    <message>
        <source>Group into a rack</source>
        <translation>编组为机架</translation>
    </message>
    <message>
        <source>Group into a site</source>
        <translation>编组为站点</translation>
    </message>
    <message>
        <source>Put into %1</source>
        <translation>放入 %1</translation>
    </message>
    <message>
        <source>Take out of the container</source>
        <translation>移出容器</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>取消编组</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
</context>
<context>
    <name>nnpiper::ContainerItem</name>
    <message>
        <source>site</source>
        <translation>站点</translation>
    </message>
    <message>
        <source>rack</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>Drop racks, nodes and switches here</source>
        <translation>将机架、节点和交换机拖到此处</translation>
    </message>
    <message>
        <source>Drop nodes and switches here</source>
        <translation>将节点和交换机拖到此处</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
</context>
<context>
    <name>nnpiper::ContainerPage</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New things inside</source>
        <translation>其中的新元素</translation>
    </message>
    <message>
        <source>Device type</source>
        <translation>设备类型</translation>
    </message>
    <message>
        <source>Link type</source>
        <translation>链路类型</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Nominal, in each direction, of a link drawn between two elements inside</source>
        <translation>其中两个元素之间所画链路的单向标称带宽</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>One way</source>
        <translation>单程</translation>
    </message>
</context>
<context>
    <name>nnpiper::CountEdit</name>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>a whole number from %1 to %2</source>
        <translation>%1 到 %2 之间的整数</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 或 %2</translation>
    </message>
</context>
<context>
    <name>nnpiper::DeviceItem</name>
    <message>
        <source>idle in this plan</source>
        <translation>在此方案中空闲</translation>
    </message>
    <message>
        <source>stage %1, needs %2 of %3</source>
        <translation>阶段 %1，需要 %2 / %3</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>not to be used</source>
        <translation>不使用</translation>
    </message>
    <message>
        <source>kept on stage %1</source>
        <translation>固定在阶段 %1</translation>
    </message>
    <message>
        <source>keeps layers %1 to %2</source>
        <translation>固定为第 %1 至 %2 层</translation>
    </message>
    <message>
        <source>kept in its place</source>
        <translation>位置固定</translation>
    </message>
</context>
<context>
    <name>nnpiper::DevicePage</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Peak speed</source>
        <translation>峰值算力</translation>
    </message>
    <message>
        <source>Dense peak in the precision of the job</source>
        <translation>作业精度下的稠密峰值</translation>
    </message>
    <message>
        <source>Achieved</source>
        <translation>实际比例</translation>
    </message>
    <message>
        <source>Part of the peak that matrix work really reaches</source>
        <translation>矩阵计算实际达到的峰值比例</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory speed</source>
        <translation>显存带宽</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
</context>
<context>
    <name>nnpiper::DeviceTypeDialog</name>
    <message>
        <source>FP32</source>
        <translation>FP32</translation>
    </message>
    <message>
        <source>TF32</source>
        <translation>TF32</translation>
    </message>
    <message>
        <source>FP16</source>
        <translation>FP16</translation>
    </message>
    <message>
        <source>BF16</source>
        <translation>BF16</translation>
    </message>
    <message>
        <source>FP8</source>
        <translation>FP8</translation>
    </message>
    <message>
        <source>Device type</source>
        <translation>设备类型</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Dense peak speed</source>
        <translation>稠密峰值速度</translation>
    </message>
    <message>
        <source>Achieved</source>
        <translation>实际比例</translation>
    </message>
    <message>
        <source>Part of the peak that matrix work really reaches</source>
        <translation>矩阵计算实际达到的峰值比例</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>The type needs a name.</source>
        <translation>该类型需要一个名称。</translation>
    </message>
    <message>
        <source>There is a type %1 already.</source>
        <translation>已有类型 %1。</translation>
    </message>
    <message>
        <source>The peak speed of one precision at least is needed.</source>
        <translation>至少需要一种精度的峰值速度。</translation>
    </message>
    <message>
        <source>Size and speed of the memory are needed.</source>
        <translation>需要显存的大小和速度。</translation>
    </message>
</context>
<context>
    <name>nnpiper::Edits</name>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>Add node</source>
        <translation>添加节点</translation>
    </message>
    <message>
        <source>Add switch</source>
        <translation>添加交换机</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Take out of node</source>
        <translation>移出节点</translation>
    </message>
    <message>
        <source>Put into node</source>
        <translation>移入节点</translation>
    </message>
    <message>
        <source>Change model</source>
        <translation>更换模型</translation>
    </message>
    <message>
        <source>Rename project</source>
        <translation>重命名项目</translation>
    </message>
    <message>
        <source>Change description</source>
        <translation>修改描述</translation>
    </message>
    <message>
        <source>Drop kept plan</source>
        <translation>丢弃保留的方案</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Make %1 of these</source>
        <translation>做成 %1 个</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
</context>
<context>
    <name>nnpiper::ElementTableModel</name>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>above 0 and at most %1</source>
        <translation>大于 0 且不超过 %1</translation>
    </message>
    <message>
        <source>above 0</source>
        <translation>大于 0</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>修改%1</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>an empty name</source>
        <translation>名称为空</translation>
    </message>
    <message>
        <source>at least one letter</source>
        <translation>至少一个字符</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Achieved</source>
        <translation>实际比例</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>From</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>To</source>
        <translation>终点</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
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
    <name>nnpiper::FieldForm</name>
    <message>
        <source>Change %1</source>
        <translation>修改%1</translation>
    </message>
</context>
<context>
    <name>nnpiper::FindBar</name>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Name, id or type</source>
        <translation>名称、编号或类型</translation>
    </message>
    <message>
        <source>Find in the cluster</source>
        <translation>在集群中查找</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>上一个 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>下一个 (Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
</context>
<context>
    <name>nnpiper::FindingModel</name>
    <message>
        <source>There is no accelerator. Drag one from the palette.</source>
        <translation>没有加速卡。请从组件面板拖入一个。</translation>
    </message>
    <message>
        <source>No route from %1 to %2: they cannot hold neighbouring stages.</source>
        <translation>%1 到 %2 没有路由：它们不能承担相邻的阶段。</translation>
    </message>
    <message>
        <source>The link %1 carries nothing: its bandwidth is zero.</source>
        <translation>链路 %1 无法传输：其带宽为零。</translation>
    </message>
    <message>
        <source>A bandwidth inside node %1 is zero: its cards cannot send.</source>
        <translation>节点 %1 内部有带宽为零：其加速卡无法发送。</translation>
    </message>
    <message>
        <source>%1 has no known speed in %2.</source>
        <translation>%1 没有已知的 %2 速度。</translation>
    </message>
    <message>
        <source>The model&apos;s weights, gradients and optimizer state need %1; all devices together have %2.</source>
        <translation>模型的权重、梯度和优化器状态需要 %1；所有设备合计只有 %2。</translation>
    </message>
    <message>
        <source>Memory short: in the shown plan %1 needs %2 of %3.</source>
        <translation>显存不足：在所示方案中 %1 需要 %2，只有 %3。</translation>
    </message>
    <message>
        <source>%1 elements have the name %2.</source>
        <translation>%1 个元素都名为 %2。</translation>
    </message>
</context>
<context>
    <name>nnpiper::FitSummary</name>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>after</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Achieved fraction, %1</source>
        <translation>实际比例，%1</translation>
    </message>
    <message>
        <source>Scale of the given times</source>
        <translation>给定时间的比例</translation>
    </message>
    <message>
        <source>Scale of times, %1</source>
        <translation>时间比例，%1</translation>
    </message>
    <message>
        <source>Fixed cost of a step</source>
        <translation>每步开销</translation>
    </message>
    <message>
        <source>not fitted</source>
        <translation>未拟合</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>After, on the runs of the fit</source>
        <translation>之后，参与拟合的运行</translation>
    </message>
    <message>
        <source>After, on runs left out of the fit</source>
        <translation>之后，未参与拟合的运行</translation>
    </message>
    <message>
        <source>No fit yet</source>
        <translation>尚未拟合</translation>
    </message>
    <message>
        <source>Constants</source>
        <translation>常数</translation>
    </message>
    <message>
        <source>Error of the predictions</source>
        <translation>预测误差</translation>
    </message>
    <message>
        <source>A fit finds the share of its peak that each device type achieves, and what a step costs besides.</source>
        <translation>拟合会求出每种设备类型实际达到的峰值比例，以及每步的额外开销。</translation>
    </message>
</context>
<context>
    <name>nnpiper::Gesture</name>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Take out of node</source>
        <translation>移出节点</translation>
    </message>
</context>
<context>
    <name>nnpiper::InspectorPanel</name>
    <message>
        <source>%1, standing alone</source>
        <translation>%1，独立设备</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%2 中的 %1</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 个设备</translation>
    </message>
    <message>
        <source>Node with 1 device</source>
        <translation>含 1 个设备的节点</translation>
    </message>
    <message>
        <source>Node with %1 devices</source>
        <translation>含 %1 个设备的节点</translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation>%1 个节点</translation>
    </message>
    <message>
        <source>Switch with 1 link</source>
        <translation>有 1 条链路的交换机</translation>
    </message>
    <message>
        <source>Switch with %1 links</source>
        <translation>有 %1 条链路的交换机</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 台交换机</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 条链路</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Rack</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>Site</source>
        <translation>站点</translation>
    </message>
    <message>
        <source>%1 with %2</source>
        <translation>%1，含 %2</translation>
    </message>
    <message>
        <source>%1 racks and sites</source>
        <translation>%1 个机架和站点</translation>
    </message>
</context>
<context>
    <name>nnpiper::JobEditors</name>
    <message>
        <source>Change global batch</source>
        <translation>修改全局批大小</translation>
    </message>
    <message>
        <source>Change micro-batch</source>
        <translation>修改微批次大小</translation>
    </message>
    <message>
        <source>Change stages</source>
        <translation>修改阶段数</translation>
    </message>
    <message>
        <source>Change step overhead</source>
        <translation>修改每步开销</translation>
    </message>
    <message>
        <source>Change precision</source>
        <translation>修改精度</translation>
    </message>
    <message>
        <source>Adam (16 B)</source>
        <translation>Adam (16 B)</translation>
    </message>
    <message>
        <source>Adam, fp32 gradients (18 B)</source>
        <translation>Adam，fp32 梯度 (18 B)</translation>
    </message>
    <message>
        <source>SGD (8 B)</source>
        <translation>SGD (8 B)</translation>
    </message>
    <message>
        <source>Change optimizer</source>
        <translation>修改优化器</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>selective</source>
        <translation>选择性</translation>
    </message>
    <message>
        <source>full</source>
        <translation>完全</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Change recompute</source>
        <translation>修改重计算</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>普通</translation>
    </message>
    <message>
        <source>Change attention</source>
        <translation>修改注意力实现</translation>
    </message>
    <message>
        <source>Change schedule</source>
        <translation>修改调度</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Change objective</source>
        <translation>修改优化目标</translation>
    </message>
</context>
<context>
    <name>nnpiper::JobPage</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Training job</source>
        <translation>训练作业</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批大小</translation>
    </message>
    <message>
        <source>Samples of one optimizer step</source>
        <translation>一次优化器步的样本数</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Samples; auto lets the planner choose</source>
        <translation>样本数；“自动”由规划器选择</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Tokens of one sample</source>
        <translation>每个样本的 token 数</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>With the bytes it keeps for a parameter</source>
        <translation>括号内为每个参数保留的字节数</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Activations computed again instead of kept</source>
        <translation>重新计算激活而不保留</translation>
    </message>
    <message>
        <source>Step overhead</source>
        <translation>每步开销</translation>
    </message>
    <message>
        <source>Fixed time of each optimizer step, for example data loading</source>
        <translation>每个优化器步的固定用时，例如数据加载</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Auto lets the planner choose</source>
        <translation>“自动”由规划器选择</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>优化目标</translation>
    </message>
    <message>
        <source>No model chosen</source>
        <translation>未选择模型</translation>
    </message>
    <message>
        <source>%1 parameters · %2 blocks · hidden %3 · vocabulary %4</source>
        <translation>%1 参数 · %2 层 · 隐藏维度 %3 · 词表 %4</translation>
    </message>
    <message>
        <source>Change model...</source>
        <translation>更换模型…</translation>
    </message>
</context>
<context>
    <name>nnpiper::LayerPage</name>
    <message>
        <source>No model chosen</source>
        <translation>未选择模型</translation>
    </message>
    <message>
        <source>%1, per sample of %2 tokens</source>
        <translation>%1，按每个样本 %2 个 token 计</translation>
    </message>
</context>
<context>
    <name>nnpiper::LayerTableModel</name>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>output head</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>block</source>
        <translation>Transformer 层</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Forward TFLOP</source>
        <translation>前向 TFLOP</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Handed on</source>
        <translation>传出</translation>
    </message>
</context>
<context>
    <name>nnpiper::LimitsView</name>
    <message>
        <source>computing is %1 of the critical path, messages %2</source>
        <translation>关键路径中计算占 %1，通信占 %2</translation>
    </message>
    <message>
        <source>Limited by computing: %1 works %2 of the time; %3</source>
        <translation>受计算限制：%1 有 %2 的时间在工作；%3</translation>
    </message>
    <message>
        <source>Limited by links: %1</source>
        <translation>受链路限制：%1</translation>
    </message>
    <message>
        <source>Limited by memory: %1 needs %2 of %3</source>
        <translation>受显存限制：%1 需要 %2，容量 %3</translation>
    </message>
    <message>
        <source>Prediction: analytic, from device figures and formulas. Calibrate it with measured step times of your own.</source>
        <translation>预测依据：由设备参数和公式推算。可用您自己实测的步时进行校准。</translation>
    </message>
    <message>
        <source>Prediction: calibrated with measured step times.</source>
        <translation>预测依据：已用实测步时校准。</translation>
    </message>
    <message>
        <source>Prediction: %1 of the layer times are measured.</source>
        <translation>预测依据：%1 的层时间为实测值。</translation>
    </message>
    <message>
        <source>Prediction: from the times that the problem file gives.</source>
        <translation>预测依据：问题文件给出的时间。</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>Nothing to explain yet</source>
        <translation>暂无可解释的内容</translation>
    </message>
    <message>
        <source>Press Solve: what holds the plan down, where devices wait and what links carry.</source>
        <translation>点击“求解”：查看限制方案的因素、设备在何处等待以及链路的负载。</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>works</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>drain</source>
        <translation>排空</translation>
    </message>
    <message>
        <source>waits for stages</source>
        <translation>等待其他阶段</translation>
    </message>
    <message>
        <source>waits for links</source>
        <translation>等待链路</translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation>不均衡</translation>
    </message>
    <message>
        <source>link, one direction</source>
        <translation>链路（单向）</translation>
    </message>
    <message>
        <source>an iteration</source>
        <translation>每次迭代</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>占用</translation>
    </message>
</context>
<context>
    <name>nnpiper::LinkItem</name>
    <message>
        <source>%1 links</source>
        <translation>%1 条链路</translation>
    </message>
</context>
<context>
    <name>nnpiper::LinkPage</name>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Nominal, in each direction</source>
        <translation>标称值，单向</translation>
    </message>
    <message>
        <source>Achieved</source>
        <translation>实际比例</translation>
    </message>
    <message>
        <source>Part of the nominal bandwidth that transfers really reach</source>
        <translation>传输实际达到的标称带宽比例</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>One way</source>
        <translation>单向</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Uplink</source>
        <translation>上行带宽</translation>
    </message>
    <message>
        <source>Delay</source>
        <translation>延迟</translation>
    </message>
</context>
<context>
    <name>nnpiper::LockEdits</name>
    <message>
        <source>Lock stage</source>
        <translation>锁定阶段</translation>
    </message>
    <message>
        <source>Lock %1 to stage %2</source>
        <translation>将 %1 锁定到阶段 %2</translation>
    </message>
    <message>
        <source>Leave devices idle</source>
        <translation>让设备闲置</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>解除锁定</translation>
    </message>
    <message>
        <source>Release all locks</source>
        <translation>解除所有锁定</translation>
    </message>
    <message>
        <source>Lock devices to their stages</source>
        <translation>将设备固定在其阶段</translation>
    </message>
</context>
<context>
    <name>nnpiper::MainWindow</name>
    <message>
        <source>New links are now %1: drag from one element to another.</source>
        <translation>新链路类型为 %1：从一个元素拖到另一个元素即可连接。</translation>
    </message>
    <message>
        <source>NN-Piper Workbench</source>
        <translation>NN-Piper 工作台</translation>
    </message>
    <message>
        <source>%1[*] — NN-Piper Workbench</source>
        <translation>%1[*] — NN-Piper 工作台</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation>集群(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>规划(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation>主题(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Tool bar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>Model layers</source>
        <translation>模型层</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>The clipboard holds nothing that could be pasted here.</source>
        <translation>剪贴板中没有可粘贴到此处的内容。</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>自动排列</translation>
    </message>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Export plan</source>
        <translation>导出方案</translation>
    </message>
    <message>
        <source>Plans (*.plan.json *.json)</source>
        <translation>方案 (*.plan.json *.json)</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Export Chrome trace</source>
        <translation>导出 Chrome trace</translation>
    </message>
    <message>
        <source>Chrome traces (*.trace.json *.json)</source>
        <translation>Chrome trace (*.trace.json *.json)</translation>
    </message>
    <message>
        <source>Export timeline</source>
        <translation>导出时间线</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>%1 cannot be written</source>
        <translation>无法写入 %1</translation>
    </message>
    <message>
        <source>Export topology</source>
        <translation>导出拓扑图</translation>
    </message>
    <message>
        <source>The work cannot be restored</source>
        <translation>无法恢复该工作</translation>
    </message>
    <message>
        <source>About NN-Piper Workbench</source>
        <translation>关于 NN-Piper 工作台</translation>
    </message>
    <message>
        <source>&lt;b&gt;NN-Piper Workbench %1&lt;/b&gt;</source>
        <translation>&lt;b&gt;NN-Piper 工作台 %1&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Draws a cluster of mixed accelerators, plans pipeline-parallel training on it with a neural solver and classic planners, and shows the predicted timeline of every plan.&lt;br&gt;&lt;br&gt;Free software under the GNU General Public License, version 3 or later, without any warranty. It uses Qt %1 (LGPL-3.0), QCustomPlot (GPL-3.0), JSON for Modern C++ (MIT) and, for the neural planner, LibTorch (BSD-3-Clause).</source>
        <translation>绘制异构加速器集群，用神经求解器和经典规划器为其规划流水线并行训练，并显示每个方案的预测时间线。&lt;br&gt;&lt;br&gt;自由软件，遵循 GNU 通用公共许可证第 3 版或更高版本，不提供任何担保。使用 Qt %1 (LGPL-3.0)、QCustomPlot (GPL-3.0)、JSON for Modern C++ (MIT)，神经规划器使用 LibTorch (BSD-3-Clause)。</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>A&amp;lign</source>
        <translation>对齐(&amp;L)</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Distribute</source>
        <translation>等距分布</translation>
    </message>
    <message>
        <source>Make several of these</source>
        <translation>做成多个</translation>
    </message>
    <message>
        <source>How many there shall be in all:</source>
        <translation>总共要有多少个：</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>问题 (%1)</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>&amp;Keep stage %1 as it is</source>
        <translation>阶段 %1 保持不变(&amp;K)</translation>
    </message>
    <message>
        <source>Keep %1 on stage %2</source>
        <translation>%1 保持在阶段 %2</translation>
    </message>
    <message>
        <source>&amp;Release stage %1</source>
        <translation>解除阶段 %1 的锁定(&amp;R)</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>New name:</source>
        <translation>新名称：</translation>
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
    <name>nnpiper::ModelDialog</name>
    <message>
        <source>Choose model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Search models...</source>
        <translation>搜索模型…</translation>
    </message>
    <message>
        <source>From config.json...</source>
        <translation>从 config.json 读取…</translation>
    </message>
    <message>
        <source>Reads a HuggingFace model&apos;s configuration</source>
        <translation>读取 HuggingFace 模型的配置</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>No model chosen</source>
        <translation>未选择模型</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>模型族</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头数</translation>
    </message>
    <message>
        <source>%1 (%2 for keys)</source>
        <translation>%1（键值头 %2）</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>前馈维度</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表大小</translation>
    </message>
    <message>
        <source>Largest sequence</source>
        <translation>最大序列长度</translation>
    </message>
    <message>
        <source>Open model configuration</source>
        <translation>打开模型配置</translation>
    </message>
    <message>
        <source>Model configuration (*.json);;All files (*)</source>
        <translation>模型配置 (*.json);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>nnpiper::NetworkEdits</name>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Put a switch into the link</source>
        <translation>在链路中插入交换机</translation>
    </message>
</context>
<context>
    <name>nnpiper::NodeItem</name>
    <message>
        <source>%1
%2, %3 between two of its devices</source>
        <translation>%1
%2，节点内任意两个设备之间 %3</translation>
    </message>
    <message>
        <source>Drop devices here</source>
        <translation>将设备拖到此处</translation>
    </message>
</context>
<context>
    <name>nnpiper::NodePage</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Interconnect</source>
        <translation>互连</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Effective, in each direction, between two devices of the node</source>
        <translation>有效值，单向，节点内两个设备之间</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>To the network</source>
        <translation>连接网络</translation>
    </message>
    <message>
        <source>Host bandwidth</source>
        <translation>主机带宽</translation>
    </message>
    <message>
        <source>Effective, between a device and the node&apos;s network port</source>
        <translation>有效值，设备与节点网口之间</translation>
    </message>
    <message>
        <source>Host latency</source>
        <translation>主机延迟</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>节点内</translation>
    </message>
</context>
<context>
    <name>nnpiper::PaletteItem</name>
    <message>
        <source>Change link type</source>
        <translation>更改链路类型</translation>
    </message>
</context>
<context>
    <name>nnpiper::PaletteModel</name>
    <message>
        <source>Accelerators</source>
        <translation>加速器</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Empty node</source>
        <translation>空节点</translation>
    </message>
    <message>
        <source>A server; drop devices into it</source>
        <translation>一台服务器；可将设备拖入其中</translation>
    </message>
    <message>
        <source>%1×%2</source>
        <translation>%1×%2</translation>
    </message>
    <message>
        <source>A server with %1 × %2 on %3</source>
        <translation>含 %1 × %2 的服务器，互连 %3</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>Joins any number of nodes</source>
        <translation>可连接任意数量的节点</translation>
    </message>
    <message>
        <source>%1
Double-click: new links are of this type. Drop it on a link to change that one.
%2</source>
        <translation>%1
双击：新链路采用此类型。拖到已有链路上可更改其类型。
%2</translation>
    </message>
    <message>
        <source>More accelerators</source>
        <translation>更多加速器</translation>
    </message>
    <message>
        <source>1 GbE</source>
        <translation>1 GbE</translation>
    </message>
    <message>
        <source>10 GbE</source>
        <translation>10 GbE</translation>
    </message>
    <message>
        <source>25 GbE</source>
        <translation>25 GbE</translation>
    </message>
    <message>
        <source>100 GbE</source>
        <translation>100 GbE</translation>
    </message>
    <message>
        <source>IB EDR</source>
        <translation>IB EDR</translation>
    </message>
    <message>
        <source>IB HDR</source>
        <translation>IB HDR</translation>
    </message>
    <message>
        <source>IB NDR</source>
        <translation>IB NDR</translation>
    </message>
    <message>
        <source>WAN, near</source>
        <translation>广域网（近）</translation>
    </message>
    <message>
        <source>WAN, far</source>
        <translation>广域网（远）</translation>
    </message>
    <message>
        <source>Own devices</source>
        <translation>自定义设备</translation>
    </message>
    <message>
        <source>A device type of this project</source>
        <translation>本项目的设备类型</translation>
    </message>
    <message>
        <source>Rack</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>Nodes and switches that stand together; it can be collapsed to one card</source>
        <translation>放在一起的节点和交换机，可折叠为一张卡片</translation>
    </message>
    <message>
        <source>Site</source>
        <translation>站点</translation>
    </message>
    <message>
        <source>Racks, nodes and switches of one place; it can be collapsed to one card</source>
        <translation>同一地点的机架、节点和交换机，可折叠为一张卡片</translation>
    </message>
</context>
<context>
    <name>nnpiper::PalettePanel</name>
    <message>
        <source>Palette</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>Search devices...</source>
        <translation>搜索设备…</translation>
    </message>
    <message>
        <source>New device type</source>
        <translation>新建设备类型</translation>
    </message>
    <message>
        <source>&amp;Use for new links</source>
        <translation>用于新链路(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Add to the drawing</source>
        <translation>添加到图中(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;New device type...</source>
        <translation>新建设备类型(&amp;N)...</translation>
    </message>
    <message>
        <source>New device type &amp;like this one...</source>
        <translation>以此为基础新建设备类型(&amp;L)...</translation>
    </message>
    <message>
        <source>&amp;Change %1...</source>
        <translation>更改 %1(&amp;C)...</translation>
    </message>
    <message>
        <source>Remove (%1 devices are of this type)</source>
        <translation>移除（%1 个设备属于此类型）</translation>
    </message>
    <message>
        <source>&amp;Remove %1</source>
        <translation>移除 %1(&amp;R)</translation>
    </message>
    <message>
        <source>New device type...</source>
        <translation>新建设备类型...</translation>
    </message>
</context>
<context>
    <name>nnpiper::PlanBoard</name>
    <message>
        <source>Move stage boundary</source>
        <translation>移动阶段边界</translation>
    </message>
    <message>
        <source>Put %1 on stage %2</source>
        <translation>将 %1 放到阶段 %2</translation>
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
    <message>
        <source>%1 samples/s</source>
        <translation>%1 样本/秒</translation>
    </message>
    <message>
        <source>%1, does not fit</source>
        <translation>%1，放不下</translation>
    </message>
    <message>
        <source>%1, %2 against %3</source>
        <translation>%1，比 %3 %2</translation>
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
    <message>
        <source>Proportional to memory</source>
        <translation>按显存比例</translation>
    </message>
    <message>
        <source>Fewer devices</source>
        <translation>更少设备</translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>Simulated annealing</source>
        <translation>模拟退火</translation>
    </message>
</context>
<context>
    <name>nnpiper::PredictionCard</name>
    <message>
        <source>Predicted before the last edit</source>
        <translation>上次编辑前的预测</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 样本/秒</translation>
    </message>
    <message>
        <source>%1 per iteration, bubble %2</source>
        <translation>每次迭代 %1，气泡 %2</translation>
    </message>
</context>
<context>
    <name>nnpiper::ProblemsView</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Routes, bandwidths, memory and names are checked while you draw.</source>
        <translation>绘制时会检查路由、带宽、显存和名称。</translation>
    </message>
</context>
<context>
    <name>nnpiper::ProjectDocument</name>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
</context>
<context>
    <name>nnpiper::ProjectFiles</name>
    <message>
        <source>NN-Piper projects (*.nnpiper.json);;JSON files (*.json);;All files (*)</source>
        <translation>NN-Piper 项目 (*.nnpiper.json);;JSON 文件 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open project</source>
        <translation>打开项目</translation>
    </message>
    <message>
        <source>The file cannot be opened</source>
        <translation>无法打开文件</translation>
    </message>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>保存项目</translation>
    </message>
    <message>
        <source>The file cannot be saved</source>
        <translation>无法保存文件</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的更改</translation>
    </message>
    <message>
        <source>Save the changes to %1?</source>
        <translation>是否保存对 %1 的更改？</translation>
    </message>
    <message>
        <source>Without saving, they are lost.</source>
        <translation>如不保存，更改将丢失。</translation>
    </message>
    <message>
        <source>The model configuration cannot be read</source>
        <translation>无法读取模型配置</translation>
    </message>
    <message>
        <source>The model is now %1.</source>
        <translation>当前模型：%1。</translation>
    </message>
</context>
<context>
    <name>nnpiper::QuantityEdit</name>
    <message>
        <source>several values</source>
        <translation>多个值</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空</translation>
    </message>
    <message>
        <source>a value is needed here</source>
        <translation>此处需要一个值</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>大于 %1</translation>
    </message>
    <message>
        <source>%1 and at most %2</source>
        <translation>%1且不超过 %2</translation>
    </message>
</context>
<context>
    <name>nnpiper::RecoveryBar</name>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>a project without a name</source>
        <translation>未命名的项目</translation>
    </message>
    <message>
        <source>Unsaved work on %1 is left from %2, when the program did not end properly.</source>
        <translation>%1 有未保存的工作，来自 %2，当时程序未正常退出。</translation>
    </message>
</context>
<context>
    <name>nnpiper::RunTableModel</name>
    <message>
        <source>&quot;%1&quot; is not the time of a step</source>
        <translation>“%1”不是单步时间</translation>
    </message>
    <message>
        <source>a time above 0 is needed, for example %1</source>
        <translation>需要大于 0 的时间，例如 %1</translation>
    </message>
    <message>
        <source>type it here</source>
        <translation>在此输入</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>What was run</source>
        <translation>运行内容</translation>
    </message>
    <message>
        <source>Measured step</source>
        <translation>实测单步</translation>
    </message>
    <message>
        <source>Predicted before</source>
        <translation>之前预测</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>留一验证</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Time of one optimizer step, with its unit</source>
        <translation>一个优化器步的时间，带单位</translation>
    </message>
    <message>
        <source>Predicted with the constants that the run&apos;s project has, and the error</source>
        <translation>用该运行所属项目的常数预测的时间及误差</translation>
    </message>
    <message>
        <source>Predicted with the constants fitted on all runs, and the error</source>
        <translation>用在所有运行上拟合的常数预测的时间及误差</translation>
    </message>
    <message>
        <source>Predicted with constants fitted on all other runs: what to expect of a plan that was not measured</source>
        <translation>用在其余所有运行上拟合的常数预测：未实测的方案可预期的准确度</translation>
    </message>
</context>
<context>
    <name>nnpiper::SolveBar</name>
    <message>
        <source>Global batch</source>
        <translation>全局批大小</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段数</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>优化目标</translation>
    </message>
</context>
<context>
    <name>nnpiper::SolveController</name>
    <message>
        <source>The project has changed, so planning was stopped.</source>
        <translation>项目已更改，规划已停止。</translation>
    </message>
    <message>
        <source>Planning was cancelled.</source>
        <translation>已取消规划。</translation>
    </message>
    <message>
        <source>No planner found a plan for this project.</source>
        <translation>没有规划器为此项目找到方案。</translation>
    </message>
    <message>
        <source>%1 samples/s in %2 stages, planned in %3.</source>
        <translation>%1 样本/秒，%2 个阶段，规划用时 %3。</translation>
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
    <name>nnpiper::SwitchItem</name>
    <message>
        <source>1 link</source>
        <translation>1 条链路</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 条链路</translation>
    </message>
</context>
<context>
    <name>nnpiper::SwitchPage</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Added to every route through the switch</source>
        <translation>计入经过该交换机的每条路由</translation>
    </message>
</context>
<context>
    <name>nnpiper::TablePage</name>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
</context>
<context>
    <name>nnpiper::TextEdit</name>
    <message>
        <source>an empty name</source>
        <translation>名称为空</translation>
    </message>
    <message>
        <source>at least one letter</source>
        <translation>至少一个字符</translation>
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
    <message>
        <source>waits until the device has sent its message</source>
        <translation>等待设备发送完消息</translation>
    </message>
</context>
<context>
    <name>nnpiper::TimelineRows</name>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>stages %1</source>
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
    <message>
        <source>weight gradient</source>
        <translation>权重梯度</translation>
    </message>
</context>
<context>
    <name>nnpiper::TypeEdits</name>
    <message>
        <source>New device type %1</source>
        <translation>新建设备类型 %1</translation>
    </message>
    <message>
        <source>Change device type %1</source>
        <translation>更改设备类型 %1</translation>
    </message>
    <message>
        <source>Remove device type %1</source>
        <translation>移除设备类型 %1</translation>
    </message>
</context>
<context>
    <name>nnpiper::WhatIfModel</name>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 stages, planned by %2
Double-click or Enter applies the change to the project</source>
        <translation>%1 个阶段，由 %2 规划
双击或按回车可将此更改应用到项目</translation>
    </message>
    <message>
        <source>Throughput gained for each dollar an hour that the change costs more</source>
        <translation>每小时多花一美元所增加的吞吐量</translation>
    </message>
    <message>
        <source>Change of the price of all devices; unknown where the inspector has no price</source>
        <translation>所有设备总价的变化；检查器中没有价格时为未知</translation>
    </message>
    <message>
        <source>change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>gain</source>
        <translation>增益</translation>
    </message>
    <message>
        <source>$ an hour</source>
        <translation>美元/小时</translation>
    </message>
    <message>
        <source>gain per $/h</source>
        <translation>每美元/小时的增益</translation>
    </message>
</context>
<context>
    <name>nnpiper::WhatIfText</name>
    <message>
        <source>One %1 less (%2)</source>
        <translation>减少一块 %1（%2）</translation>
    </message>
    <message>
        <source>One %1 more</source>
        <translation>增加一块 %1</translation>
    </message>
    <message>
        <source>One %1 more in %2</source>
        <translation>在 %2 中增加一块 %1</translation>
    </message>
    <message>
        <source>%1 twice as fast (1 link)</source>
        <translation>%1 速度加倍（1 条链路）</translation>
    </message>
    <message>
        <source>%1 twice as fast (%2 links)</source>
        <translation>%1 速度加倍（%2 条链路）</translation>
    </message>
    <message>
        <source>%1 twice as fast (inside 1 node)</source>
        <translation>%1 速度加倍（1 个节点内部）</translation>
    </message>
    <message>
        <source>%1 twice as fast (inside %2 nodes)</source>
        <translation>%1 速度加倍（%2 个节点内部）</translation>
    </message>
    <message>
        <source>Micro-batch of %1</source>
        <translation>微批次为 %1</translation>
    </message>
    <message>
        <source>Micro-batch as the planner chooses</source>
        <translation>微批次由规划器选择</translation>
    </message>
</context>
<context>
    <name>nnpiper::WhatIfView</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Plan again</source>
        <translation>重新规划</translation>
    </message>
    <message>
        <source>Stop planning changes; the rows so far stay</source>
        <translation>停止规划；已有的行会保留</translation>
    </message>
    <message>
        <source>Plan every change of the project anew</source>
        <translation>重新规划项目的每一项更改</translation>
    </message>
    <message>
        <source>Planning the project as it is…</source>
        <translation>正在规划当前项目…</translation>
    </message>
    <message>
        <source>%1 of %2 changes planned…</source>
        <translation>已规划 %2 项更改中的 %1 项…</translation>
    </message>
    <message>
        <source>As it is: %1 samples/s. Double-click a change to apply it.</source>
        <translation>当前：%1 样本/秒。双击某项更改即可应用。</translation>
    </message>
    <message>
        <source>The project has changed…</source>
        <translation>项目已更改…</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Changes of the project, what pays first</source>
        <translation>项目的各项更改，最划算的在前</translation>
    </message>
    <message>
        <source>Which upgrade pays?</source>
        <translation>哪项升级划算？</translation>
    </message>
    <message>
        <source>Apply to the project</source>
        <translation>应用到项目</translation>
    </message>
    <message>
        <source>Nothing to change yet</source>
        <translation>还没有可更改的内容</translation>
    </message>
    <message>
        <source>Add devices: then each upgrade is planned here, and what pays comes first.</source>
        <translation>添加设备后，这里会规划每项升级，最划算的排在最前。</translation>
    </message>
</context>
</TS>
