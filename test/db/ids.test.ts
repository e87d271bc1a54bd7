import { validate, version } from 'uuid';
import { idOfPair, newId } from '../../src/ids.ts';

const AT = new Date('2026-01-01T00:00:00.123Z');

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
