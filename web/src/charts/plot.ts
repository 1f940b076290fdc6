import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { type Frame, xToPixel } from './frame.ts';
import { colourOfSeries, readTokens, variableOf } from './theme-colours.ts';
import type { Point, Series } from './types.ts';

use([LineChart, BarChart, GridComponent, MarkLineComponent, CanvasRenderer]);

const FONT = 'Inter Variable, system-ui, sans-serif';

type Tokens = (variable: string) => string;
const LABEL_PX = 6.4;

/** A point between two gaps has no line; it is shown as a dot. */
const isAlone = (points: readonly Point[], index: number): boolean =>
  points[index - 1]?.[1] == null && points[index + 1]?.[1] == null;

function dataOf({ kind }: Series, points: readonly Point[]) {
  if (kind === 'bar') return points.map(([x, value]) => [x, value]);
  return points.map(([x, value], index) => {
    const at = [x, value ?? Number.NaN];
    return value !== null && isAlone(points, index) ? { value: at, symbol: 'circle', symbolSize: 6 } : at;
  });
}

function seriesOption({ series, points }: Frame['series'][number], index: number, frame: Frame, tokens: Tokens) {
  const colour = tokens(variableOf(colourOfSeries(series, index)));
  const common = { id: `data ${series.id}`, name: series.name, data: dataOf(series, points), silent: true };
  if (series.kind === 'bar') {
    return {
      ...common,
      type: 'bar',
      stack: series.stack ?? series.id,
      barWidth: frame.barWidth,
      barGap: '-100%',
      itemStyle: { color: colour },
    };
  }
  const isFilled = series.kind === 'area' || series.kind === 'step-area' || series.kind === 'stacked';
  return {
    ...common,
    type: 'line',
    step: series.kind === 'step' || series.kind === 'step-area' ? 'end' : false,
    ...(series.kind === 'stacked' ? { stack: 'stacked' } : {}),
    symbol: 'none',
    connectNulls: false,
    lineStyle: { color: colour, width: series.kind === 'stacked' ? 1 : 2, type: series.isDashed ? 'dashed' : 'solid' },
    itemStyle: { color: colour },
    areaStyle: isFilled ? { color: colour, opacity: series.kind === 'stacked' ? 0.55 : 0.14 } : undefined,
    z: isFilled ? 2 : 3,
  };
}

/** Markers hang on a series without points, so that no series of the data carries them. */
function markersOption(frame: Frame, tokens: Tokens) {
  const tones = { info: tokens('--muted'), warn: tokens('--brass'), critical: tokens('--danger') };
  const text = {
    color: tokens('--text'),
    fontSize: 11,
    fontFamily: FONT,
    textBorderColor: tokens('--surface'),
    textBorderWidth: 2,
  };
  let free = 0;
  const data = frame.markers.map(({ x, label, tone = 'info' }) => {
    const at = xToPixel(frame, x);
    const half = (label.length * LABEL_PX) / 2;
    // Near the right edge the word ends at its line.
    const align = at + half <= frame.width ? 'center' : 'right';
    const start = align === 'center' ? at - half : at - 2 * half;
    const fits = start >= free;
    if (fits) free = start + 2 * half + 6;
    return {
      xAxis: x,
      lineStyle: { color: tones[tone], type: 'dotted', width: 1.5 },
      label: { ...text, show: fits, formatter: label, position: 'end', distance: 4, align },
    };
  });
  return {
    id: 'markers',
    type: 'line',
    data: [],
    silent: true,
    markLine: { silent: true, symbol: 'none', animation: false, data },
  };
}

export function optionOf(frame: Frame, tokens: Tokens): EChartsCoreOption {
  const { box, x, y } = frame;
  const label = { color: tokens('--muted'), fontSize: 12, fontFamily: FONT };
  const labels = (ticks: { at: number; label: string }[]) => {
    const words = new Map(ticks.map(({ at, label: word }) => [at, word]));
    return {
      axisLabel: {
        ...label,
        customValues: ticks.map(({ at }) => at),
        formatter: (at: number) => words.get(at) ?? '',
        hideOverlap: false,
      },
      axisTick: { show: false, customValues: ticks.map(({ at }) => at) },
    };
  };
  return {
    animation: false,
    grid: { left: box.left, right: box.right, top: box.top, bottom: box.bottom, outerBoundsMode: 'none' },
    xAxis: {
      id: 'x',
      type: 'value',
      min: x.range[0],
      max: x.range[1],
      ...labels(x.ticks),
      splitLine: { show: false },
      axisLine: { onZero: false, lineStyle: { color: tokens('--line') } },
    },
    yAxis: {
      id: 'y',
      type: 'value',
      min: y.scale.min,
      max: y.scale.max,
      interval: y.scale.step,
      ...labels(y.ticks),
      splitLine: { lineStyle: { color: tokens('--line') } },
      axisLine: { show: false },
    },
    series: [
      ...frame.series.map((each, index) => seriesOption(each, index, frame, tokens)),
      markersOption(frame, tokens),
    ],
  };
}

export type Plot = {
  draw(frame: Frame): void;
  picture(title: string, takeaway: string): string;
  dispose(): void;
};

const SCALE = 2;
const HEAD_PX = 64;

/** The title above the drawing, on the theme's surface, as a PNG. */
function pictureOf(drawing: HTMLCanvasElement, title: string, takeaway: string): string {
  const tokens = readTokens();
  const canvas = document.createElement('canvas');
  canvas.width = drawing.width;
  canvas.height = drawing.height + HEAD_PX * SCALE;
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error('This browser gives no canvas to draw the picture on.');
  pen.fillStyle = tokens('--surface');
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = tokens('--text');
  pen.font = `600 ${16 * SCALE}px ${FONT}`;
  pen.fillText(title, 12 * SCALE, 26 * SCALE);
  pen.fillStyle = tokens('--muted');
  pen.font = `${13 * SCALE}px ${FONT}`;
  pen.fillText(takeaway, 12 * SCALE, 48 * SCALE);
  pen.drawImage(drawing, 0, HEAD_PX * SCALE);
  return canvas.toDataURL('image/png');
}

/** Draws frames into an element. Series keep their ids, so that an update changes what changed and nothing restarts. */
export function createPlot(element: HTMLElement, size: { width: number; height: number }): Plot {
  const chart = init(element, null, { renderer: 'canvas', ...size });
  return {
    draw(frame) {
      if (chart.getWidth() !== frame.width || chart.getHeight() !== frame.height) {
        chart.resize({ width: frame.width, height: frame.height, animation: { duration: 0 } });
      }
      chart.setOption(optionOf(frame, readTokens()), { replaceMerge: ['series'], lazyUpdate: false });
    },
    picture: (title, takeaway) => pictureOf(chart.renderToCanvas({ pixelRatio: SCALE }), title, takeaway),
    dispose: () => chart.dispose(),
  };
}
