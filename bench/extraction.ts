import { decode } from '../src/extraction/charset.ts';
import { readPage } from '../src/extraction/page.ts';
import { pageTextOf } from '../test/extraction/page-text.ts';
import { annotatedPages, wordF1 } from './support/extraction-score.ts';
import { type Finding, limitFinding, note, report } from './support/report.ts';

const PAGES = 500;
const PAGE_CHARACTERS = 43_000;
const MIN_PAGES_PER_CPU_SECOND = 100;
const MAX_PAGE_MS = 250;
const MIN_F1 = 0.83;
const MIN_DOCUMENTATION_F1 = 0.935;
/** A part of the Web Content Extraction Benchmark: a folder with ground-truth/ and html/. */
const FOLDER = process.env.WCXB_FOLDER;

/** Measured in processor time, as the machine may do other work. */
interface Cost {
  pagesPerCpuSecond: number;
  worstMs: number;
}

/** Generates a documentation page with menus, of about 43 KB. */
function generatePage(seed: number): string {
  const word = (nth: number) => `word${(seed * 7919 + nth * 104_729) % 5_003}`;
  const sentence = (nth: number, length: number) => Array.from({ length }, (_, at) => word(nth + at)).join(' ');
  const menu = Array.from({ length: 80 }, (_, nth) => `<li><a href="/docs/${word(nth)}">${sentence(nth, 3)}</a></li>`);
  const section = (nth: number) => `<h2 id="s${nth}">${sentence(nth, 4)}</h2>
    <p>${sentence(nth, 60)} <a href="/docs/${word(nth)}">${word(nth)}</a> <code>${word(nth + 1)}()</code> ${sentence(nth + 2, 40)}</p>
    <ul><li>${sentence(nth, 9)}</li><li>${sentence(nth, 5)}<ul><li>${sentence(nth, 6)}</li></ul></li></ul>
    <pre><code class="language-ts">const ${word(nth)} = ${word(nth + 3)}(${nth});\n</code></pre>
    <table><thead><tr><th>Name</th><th>Meaning</th></tr></thead><tbody>${`<tr><td>${word(nth)}</td><td>${sentence(nth, 8)}</td></tr>`.repeat(4)}</tbody></table>`;
  let sections = '';
  for (let nth = 0; sections.length < PAGE_CHARACTERS - 6_500; nth += 1) sections += section(nth);
  return `<!doctype html><html lang="en"><head><title>${sentence(0, 4)}</title><script>${'var a = 1;'.repeat(100)}</script></head>
    <body><nav><ul>${menu.join('')}</ul></nav><main><h1>${sentence(0, 4)}</h1>${sections}</main><footer>${sentence(3, 30)}</footer></body></html>`;
}

/**
 * Reads pages one by one in this thread, like each thread of the extractor. `take` receives each page and is not
 * measured.
 */
async function costOf<P extends { bytes: Uint8Array; url: string }>(
  pages: Iterable<P>,
  take: (page: P) => void = () => undefined,
): Promise<Cost> {
  let count = 0;
  let totalMs = 0;
  let worstMs = 0;
  for (const page of pages) {
    const before = process.cpuUsage();
    await readPage({ bytes: page.bytes, contentType: 'text/html', url: page.url });
    const { user, system } = process.cpuUsage(before);
    const costMs = (user + system) / 1_000;
    totalMs += costMs;
    worstMs = Math.max(worstMs, costMs);
    take(page);
    count += 1;
  }
  return { pagesPerCpuSecond: count / (totalMs / 1_000), worstMs };
}

const costFindings = (name: string, { pagesPerCpuSecond, worstMs }: Cost): Finding[] => [
  limitFinding(`extraction: ${name}, a second of CPU`, {
    subject: `${pagesPerCpuSecond.toFixed(0)} pages`,
    target: `≥ ${MIN_PAGES_PER_CPU_SECOND}`,
    isMet: pagesPerCpuSecond >= MIN_PAGES_PER_CPU_SECOND,
  }),
  limitFinding(`extraction: ${name}, the worst page`, {
    subject: `${worstMs.toFixed(0)} ms`,
    target: `< ${MAX_PAGE_MS} ms`,
    isMet: worstMs < MAX_PAGE_MS,
  }),
];

async function measureGenerated(): Promise<Finding[]> {
  const pages = Array.from({ length: PAGES }, (_, nth) => ({
    bytes: Buffer.from(generatePage(nth)),
    url: `https://generated.example/docs/${nth}`,
  }));
  note(`${PAGES} generated pages of ${(pages[0]?.bytes.length ?? 0) / 1_000} KB`);
  await costOf(pages.slice(0, 50)); // warm-up of the JIT compiler
  return costFindings('generated pages', await costOf(pages));
}

async function measureBenchmark(folder: string): Promise<Finding[]> {
  const scores: { kind: string; score: number }[] = [];
  const cost = await costOf(annotatedPages(folder), ({ kind, content, bytes, url }) => {
    scores.push({ kind, score: wordF1(pageTextOf(decode(bytes, 'text/html'), url), content) });
  });
  const mean = (kind?: string) => {
    const chosen = scores.filter((one) => kind === undefined || one.kind === kind);
    return chosen.reduce((sum, { score }) => sum + score, 0) / chosen.length;
  };
  for (const kind of [...new Set(scores.map((one) => one.kind))].sort())
    note(`word F1 of ${kind} pages: ${mean(kind).toFixed(3)}`);
  const scoreFinding = (name: string, score: number, least: number): Finding =>
    limitFinding(`extraction: word F1, ${name}`, {
      subject: score.toFixed(3),
      target: `≥ ${least}`,
      isMet: score >= least,
    });
  return [
    scoreFinding(`${scores.length} pages`, mean(), MIN_F1),
    scoreFinding('documentation', mean('documentation'), MIN_DOCUMENTATION_F1),
    ...costFindings('real pages', cost),
  ];
}

await report(async () => {
  const findings = await measureGenerated();
  if (FOLDER !== undefined) return [...findings, ...(await measureBenchmark(FOLDER))];
  note('word F1 was not measured: WCXB_FOLDER is not set to a part of the Web Content Extraction Benchmark');
  return findings;
});
