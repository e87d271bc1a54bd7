import type { ReactNode } from 'react';
import type { Tone } from './parts-bar';

export interface Series {
  name: string;
  tone: Tone;
  values: number[];
}

export interface ChartProps {
  /** What the chart shows, in a sentence. */
  label: string;
  /** The beginnings of the bars, in order (ISO 8601). */
  times: string[];
  /** One bar part for each series and time. */
  series: Series[];
  /** Called with the times of the first and the last bar that were chosen with the pointer. */
  onRange?: ((from: string, to: string) => void) | undefined;
  /** How a time is written: with the hour if nothing is said. */
  shownTime?: (iso: string) => string;
  children?: ReactNode;
}
