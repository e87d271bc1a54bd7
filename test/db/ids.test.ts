import { install } from '@sinonjs/fake-timers';
import { validate, version } from 'uuid';
import { idOfPair, newId } from '../../src/ids.ts';

const AT = new Date('2026-01-01T00:00:00.123Z');

it('ids are UUIDs of version 7 that sort in the order in which they were made, however many a millisecond', () => {
  const begun = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  expect([(times[0] ?? 0) >= begun, (times.at(-1) ?? Infinity) <= Date.now()]).toEqual([true, true]);
});

it('ids sort in their order after the clock was set back', () => {
  const clock = install({ now: Date.now() + 60_000, toFake: ['Date'] });
  try {
    const before = newId();
    clock.setSystemTime(Date.now() - 30_000);
    const ids = [before, newId(), newId()];
    expect(ids.toSorted()).toEqual(ids);
  } finally {
    clock.uninstall();
  }
});

it('the id of a pair is always the same, and another one with another time, place or partner', () => {
  const [one, other] = [newId(), newId()];
  const ids = [
    idOfPair(AT, 1, [one, other]),
    idOfPair(AT, 2, [one, other]),
    idOfPair(AT, 1, [one, newId()]),
    idOfPair(new Date(AT.getTime() + 1), 1, [one, other]),
  ];
  expect(idOfPair(AT, 1, [one, other])).toBe(ids[0]);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the ids of pairs sort by time, then by place', () => {
  const places = [0, 1, 16_383, 16_384, 1_000_000, 2 ** 26 - 1];
  const ids = [AT, new Date(AT.getTime() + 1)].flatMap((at) =>
    places.map((place) => idOfPair(at, place, [newId(), newId()])),
  );
  expect(ids.toSorted()).toEqual(ids);
});

it('the id of a pair is a UUID of version 7, however large its place', () => {
  for (const place of [0, 2 ** 26, 2 ** 31, 2 ** 40 + 5]) {
    const id = idOfPair(AT, place, [newId(), newId()]);
    expect([validate(id), version(id)]).toEqual([true, 7]);
  }
});
