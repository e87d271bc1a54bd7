/** One number of a program's metrics. */
export interface Sample {
  name: string;
  /** Its name and labels, with the instance that Prometheus adds. */
  series: string;
  labels: string;
  value: number;
}

/** What Prometheus reads of all programs at once. */
export interface Scrape {
  /** The type of each metric: `counter`, `gauge` or `histogram`. */
  types: Map<string, string>;
  samples: Sample[];
}

/** Returns the number of a series in a text of metrics, or undefined if there is none. */
export function numberOf(metrics: string, series: string): number | undefined {
  const line = metrics.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Reads the texts of metrics, by the instance of each. */
export function scrapeOf(texts: Record<string, string>): Scrape {
  const scrape: Scrape = { types: new Map(), samples: [] };
  for (const [instance, text] of Object.entries(texts))
    for (const line of text.split('\n')) {
      const [, kind, name = '', type = ''] = line.split(' ');
      if (kind === 'TYPE') scrape.types.set(name, type);
      else if (line !== '' && !line.startsWith('#')) scrape.samples.push(sampleOf(line, instance));
    }
  return scrape;
}

function sampleOf(line: string, instance: string): Sample {
  const end = line.lastIndexOf(' ');
  const [name = '', ...rest] = line.slice(0, end).split('{');
  const labels = rest.join('{').slice(0, -1);
  const series = `${name}{instance="${instance}"${labels === '' ? '' : `,${labels}`}}`;
  return { name, series, labels, value: Number(line.slice(end + 1)) };
}

/** Returns the sum of a metric's samples that have a label. */
export const sumOf = (scrape: Scrape, metric: string, label = ''): number =>
  scrape.samples
    .filter(({ name, labels }) => name === metric && labels.includes(label))
    .reduce((sum, { value }) => sum + value, 0);

export const isCounter = ({ types }: Scrape, name: string): boolean =>
  ['counter', 'histogram'].includes(types.get(name.replace(/_(?:bucket|count|sum)$/, '')) ?? '');
