import type { CallGraph } from './calls.ts';
import type { NamedFunction } from './functions.ts';
import { folderOf } from './sources.ts';

/** Functions of a domain of src, each reached from the one before by calls. */
type Leg = `${string}#${string}`[];

interface Walk {
  name: string;
  /** What leads from one leg to the next is an event, a command or an answer, which no call shows. */
  legs: Leg[];
}

const WALKS: Walk[] = [
  {
    name: 'a contact’s message, to the AI’s answer',
    legs: [
      ['conversations#sendMessage', 'conversations#addContactMessage', 'conversations#appendEvents'],
      ['ai#requestTurns', 'ai#wakeTurns'],
      ['ai#answerWithoutWorkflow', 'ai#answerBegun', 'ai#decideTurn'],
      ['ai#commitTurn', 'conversations#addAiMessage', 'conversations#appendEvents'],
    ],
  },
  {
    name: 'a campaign’s send',
    legs: [
      ['sequences#sendDueSteps', 'sequences#prepareBatch'],
      ['sequences#sendStep', 'deliveries#sendBatch', 'deliveries#sendInChunks'],
      ['sequences#beginChunk'],
      ['deliveries#settleDeliveries'],
    ],
  },
  {
    name: 'a webhook’s run',
    legs: [
      ['automations#receiveWebhook', 'automations#startRuns', 'automations#startRun'],
      ['automations#doStep', 'automations#advanceRun', 'automations#finishRuns'],
    ],
  },
];

/** What every walk passes is no room: the ground that the domains share. */
const GROUND =
  /^src(\/(db|outbox|temporal|providers|languages|logging|api|schemas|collections|concurrency|documents|html|json-logic|processes|reports|text)(\/.*)?)?$/;

export interface WalkMeasure {
  name: string;
  /** Returns of a reader who looks into each function on the way, and at those that it calls. */
  returnsOfReader: number;
  /** Returns of a reader who follows every call to its end. */
  returnsOfAll: number;
  functions: number;
}

/** Measures how often each walk enters a folder that it had left. A function is entered once, at its first call. */
export const measureWalks = (graph: CallGraph, walks: Walk[] = WALKS): WalkMeasure[] =>
  walks.map(({ name, legs }) => {
    const ways = legs.map((leg) => wayOf(graph, leg));
    const near = [...new Set(ways.flatMap((way) => way.flatMap((one, place) => lookAt(graph, one, way[place + 1]))))];
    const all = allOn(graph, ways);
    return { name, returnsOfReader: returnsIn(near), returnsOfAll: returnsIn(all), functions: all.length };
  });

/** Returns the functions of a leg and those on the shortest chain of calls between them. */
function wayOf(graph: CallGraph, leg: Leg): NamedFunction[] {
  const [first, ...others] = leg.map((key) => {
    const [domain = '', name = ''] = key.split('#');
    return graph.find(domain, name);
  });
  if (first === undefined) return [];
  const way = [first];
  for (const next of others) way.push(...chainBetween(graph, way.at(-1) ?? first, next));
  return way;
}

/** Returns the shortest chain of calls, without its first function. Of equally short ones, the first in the source. */
function chainBetween({ callsOf }: CallGraph, from: NamedFunction, to: NamedFunction): NamedFunction[] {
  const callers = new Map<NamedFunction, NamedFunction | undefined>([[from, undefined]]);
  for (const one of callers.keys()) {
    if (one === to) break;
    for (const called of callsOf(one)) if (!callers.has(called)) callers.set(called, one);
  }
  if (!callers.has(to))
    throw new Error(`No call leads from ${from.name} to ${to.name}: correct scripts/measures/walks.ts`);
  const chain: NamedFunction[] = [];
  for (let one: NamedFunction | undefined = to; one !== undefined && one !== from; one = callers.get(one))
    chain.unshift(one);
  return chain;
}

/** Returns a function and those that it calls before the next one on the way. */
function lookAt({ callsOf }: CallGraph, one: NamedFunction, next: NamedFunction | undefined): NamedFunction[] {
  const calls = callsOf(one);
  return [one, ...(next === undefined ? [] : calls.slice(0, calls.indexOf(next)))];
}

/** Returns all functions of the legs in the order of their first calls, each leg up to its last function. */
function allOn({ callsOf }: CallGraph, ways: NamedFunction[][]): NamedFunction[] {
  const entered = new Set<NamedFunction>();
  for (const way of ways) {
    const end = way.at(-1);
    const enter = (one: NamedFunction): boolean => {
      if (one === end) entered.add(one);
      if (one === end || entered.has(one)) return one === end;
      entered.add(one);
      return callsOf(one).some(enter);
    };
    for (const first of way.slice(0, 1)) enter(first);
  }
  return [...entered];
}

function returnsIn(functions: NamedFunction[]): number {
  const rooms = functions.map(({ source }) => folderOf(source)).filter((folder) => !GROUND.test(folder));
  const entered = rooms.filter((room, place) => room !== rooms[place - 1]);
  return entered.length - new Set(entered).size;
}
