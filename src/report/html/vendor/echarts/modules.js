// What the page uses of ECharts. scripts/vendor_echarts.sh makes echarts.js of it.
import { init, use } from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  DataZoomComponent, GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
} from "echarts/components";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart, CustomChart, LineChart, ScatterChart,
  DataZoomComponent, GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
  SVGRenderer,
]);

export { init };
