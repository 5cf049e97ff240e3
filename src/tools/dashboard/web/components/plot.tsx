// A plot over virtual time. Its library is loaded when the first one is shown.

import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { dayText, timeText } from '../text.js';
import { dataOf, type PlotProps } from './plot-data.js';

export function Plot(props: PlotProps) {
  const { label, times, series, height = 130 } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const key = series.map(({ title }) => title).join();
  useEffect(() => {
    let isGone = false;
    const observer = new ResizeObserver(() => {
      chart.current?.setSize({ width: place.current?.clientWidth ?? 300, height });
    });
    void import('./plot-chart.js').then(({ draw }) => {
      if (isGone || place.current === null) return;
      chart.current = draw(place.current, () => latest.current, height);
      observer.observe(place.current);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      chart.current?.destroy();
    };
  }, [key]);
  useEffect(() => {
    chart.current?.setData(dataOf(props));
  }, [times, series]);
  const last = series.map(({ title, values }) => `${title} ${values.at(-1) ?? 'unknown'}`).join(', ');
  const span =
    times.length === 0 ? '' : `${dayText(times[0] ?? 0)} ${timeText(times[0] ?? 0)} to ${timeText(times.at(-1) ?? 0)}`;
  return <div ref={place} style={{ minHeight: `${height}px` }} role="img" aria-label={`${label}: ${last}; ${span}`} />;
}
