// The data of a plot.

import type uPlot from 'uplot';

export interface Series {
  title: string;
  /** A variable of the style sheet: '--accent'. */
  colour: string;
  values: readonly (number | null)[];
}

export interface PlotProps {
  label: string;
  /** Milliseconds since the epoch. */
  times: readonly number[];
  series: readonly Series[];
  /** The present: everything right of it has not happened yet. */
  now?: number | undefined;
  /** The limit, as a line. */
  limit?: number | undefined;
  unit?: string;
  height?: number;
  /** Values stay from one time to the next: balances. */
  isStepped?: boolean;
}

/** The data as the library takes them; in seconds. */
export function dataOf({ times, series, limit }: PlotProps): uPlot.AlignedData {
  const limits = limit === undefined ? [] : [times.map(() => limit)];
  return [
    times.map((time) => time / 1_000),
    ...series.map(({ values }) => [...values]),
    ...limits,
  ] as uPlot.AlignedData;
}
