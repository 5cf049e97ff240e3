// The drawing of plots: the only module that loads the library.

import UPlot from 'uplot';
import { creditsText, dayText, numberText, tickText, whenText } from '../text.js';
import { dataOf, type PlotProps } from './plot-data.js';

function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draws a plot into an element; `props` tells the latest. */
export function draw(place: HTMLElement, props: () => PlotProps, height: number): UPlot {
  const { series, isStepped = false, unit = '', limit } = props();
  const textOf = unit === 'credits' ? creditsText : numberText;
  const faint = colour('--text-soft');
  const line = colour('--line');
  const axis = { stroke: faint, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  const paths = isStepped ? UPlot.paths.stepped?.({ align: 1 }) : undefined;
  return new UPlot(
    {
      width: place.clientWidth,
      height,
      cursor: { y: false },
      legend: { live: true },
      scales: {
        // If all values are of one instant, they are drawn in the middle.
        x: {
          range: ({ data: [times] }, low, high) => {
            const first = times[0];
            return first !== undefined && first === times.at(-1) ? [first - 30, first + 30] : [low, high];
          },
        },
        y: { range: (_, low, high) => (isStepped ? around(low, high) : fromZero(low, high)) },
      },
      series: [
        { value: (_, value) => (value === null ? '' : whenIn(props(), value * 1_000)), label: 'Time' },
        ...series.map(({ title, colour: name }) => ({
          label: title,
          stroke: () => colour(name),
          width: 1.5,
          points: { show: false },
          value: (_: UPlot, value: number | null) => (value === null ? '' : `${textOf(value)} ${unit}`.trim()),
          ...(paths !== undefined && { paths }),
        })),
        ...(limit === undefined
          ? []
          : [{ label: 'Limit', stroke: () => colour('--bad'), width: 1, dash: [4, 4], points: { show: false } }]),
      ],
      axes: [
        { ...axis, size: 26, values: (_, splits) => splits.map((at) => tickText(at * 1_000)), space: 70 },
        { ...axis, size: 46 },
      ],
      hooks: {
        draw: [(chart) => shadeFuture(chart, props().now)],
        ready: [(chart) => tellNow(chart, props().now)],
        setData: [(chart) => tellNow(chart, props().now)],
        setCursor: [(chart) => tellNow(chart, props().now)],
      },
    },
    dataOf(props()),
    place,
  );
}

function whenIn({ now }: PlotProps, at: number): string {
  return whenText(at, dayText(now ?? at));
}

function fromZero(low: number, high: number): [number, number] {
  return [Math.min(0, low), high === low ? high + 1 : high * 1.08];
}

// The axis of a balance shows its movements, which are small beside the balance, and need not begin at zero.
function around(low: number, high: number): [number, number] {
  const rest = high === low ? 1 : (high - low) * 0.1;
  return [low - rest, high + rest];
}

// While nobody points at a place, the legend says what is the case now; last, where the plot ends before now.
function tellNow(chart: UPlot, now = Number.POSITIVE_INFINITY): void {
  if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) return;
  const [times, values] = chart.data;
  const idx = times.findLastIndex((at, index) => at * 1_000 <= now && typeof values?.[index] === 'number');
  if (idx >= 0) chart.setLegend({ idx }, false);
}

// Draws a veil over the future, right of the line of now.
function shadeFuture({ ctx, bbox, valToPos }: UPlot, now: number | undefined): void {
  if (now === undefined) return;
  const x = Math.max(bbox.left, valToPos(now / 1_000, 'x', true));
  const right = bbox.left + bbox.width;
  if (x >= right) return;
  ctx.save();
  ctx.fillStyle = colour('--ahead');
  ctx.globalAlpha = 0.09;
  ctx.fillRect(x, bbox.top, right - x, bbox.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(x, bbox.top, 1, bbox.height);
  ctx.restore();
}
