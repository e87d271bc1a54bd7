/**
 * Prints measures of the tree as a table in Markdown, to compare a tree before and after a change. Files are those of src,
 * workflows, activities and worker. It parses them alone, without types, so it takes seconds. What each measure counts is
 * said where it is computed, in scripts/measures.
 */
import { readFile } from 'node:fs/promises';
import { callGraphOf } from './measures/calls.ts';
import { forwardersOf, reexportingFilesOf } from './measures/forwarders.ts';
import { countCasts, namedFunctionsOf } from './measures/functions.ts';
import { upwardArrowsOf } from './measures/layers.ts';
import { folderOf, readSources, type Source } from './measures/sources.ts';
import { measureWalks } from './measures/walks.ts';

const MAX_SMALL_LINES = 15;
const MANY_PARAMETERS = 5;

type Row = [measure: string, value: string | number];

async function measure(): Promise<Row[]> {
  const sources = await readSources();
  const words = (await readFile('ARCHITECTURE.md', 'utf8')).split(/\s+/).filter((word) => word !== '').length;
  return [
    ...fileRows(sources),
    ...functionRows(sources),
    ['words of ARCHITECTURE.md', words],
    ...arrowRows(sources),
    ...walkRows(sources),
  ];
}

function fileRows(sources: Source[]): Row[] {
  const inSrc = sources.filter(({ path }) => path.startsWith('src/'));
  const folders = Map.groupBy(inSrc, folderOf);
  const loose = folders.get('src')?.length ?? 0;
  folders.delete('src');
  const [fullest] = [...folders]
    .map(([folder, files]) => [folder, files.length] as const)
    .toSorted((a, b) => b[1] - a[1]);
  return [
    ['files', sources.length],
    ['lines', sumOf(sources.map(({ lines }) => lines))],
    [`files of at most ${MAX_SMALL_LINES} lines`, sources.filter(({ lines }) => lines <= MAX_SMALL_LINES).length],
    ['loose files at the top of src', loose],
    ['files in the fullest folder of src', fullest === undefined ? 0 : `${fullest[1]} (${fullest[0]})`],
  ];
}

function functionRows(sources: Source[]): Row[] {
  const functions = namedFunctionsOf(sources);
  const graph = callGraphOf(sources, functions);
  const lengths = functions.map(({ lines }) => lines).toSorted((a, b) => a - b);
  const at = (share: number) => lengths[Math.floor((lengths.length - 1) * share)] ?? 0;
  const many = functions.filter(({ node }) => node.parameters.length >= MANY_PARAMETERS).length;
  return [
    ['exported functions that only forward', forwardersOf(functions, graph).length],
    ['files that only export again', reexportingFilesOf(sources).length],
    ['casts', countCasts(sources)],
    ['functions', functions.length],
    ['their lines: median, p90, most', `${at(0.5)}, ${at(0.9)}, ${at(1)}`],
    [
      `functions with ${MANY_PARAMETERS} parameters or more`,
      `${many} (${((100 * many) / functions.length).toFixed(2)} %)`,
    ],
  ];
}

const walkRows = (sources: Source[]): Row[] =>
  measureWalks(callGraphOf(sources, namedFunctionsOf(sources))).flatMap(
    ({ name, returnsOfReader, returnsOfAll, functions }): Row[] => [
      [`returns to a room left: ${name}`, returnsOfReader],
      ['the same, following every call', `${returnsOfAll} (${functions} functions)`],
    ],
  );

function arrowRows(sources: Source[]): Row[] {
  const arrows = upwardArrowsOf(sources);
  const toHttp = arrows.filter(({ to }) => to.startsWith('src/api/edge/')).length;
  return [['imports that lead up the layers', `${arrows.length} (${toHttp} to src/api/edge)`]];
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

console.log('| measure | value |\n|---|---:|');
for (const [name, value] of await measure()) console.log(`| ${name} | ${value} |`);
