import { randomUUID } from 'node:crypto';
import { createCourseStore } from '../../../src/sequences/forecast/course-store.ts';
import type { ContactSimulation } from '../../../src/sequences/forecast/rules.ts';
import { effectiveGates } from '../../../src/sequences/gates/rules.ts';

const GATES = effectiveGates({ sends_per_minute: 1 }, { quiet_hours: null, daily_cap: 1, timezone: null });
const SENDING = { status: 'sending', reason: null, gate: null };
const stepAt = (index: number) => ({ index, delay_in_minutes: 1, isTransactional: false, sender: 'a' });

const courseOf = (more: Partial<ContactSimulation> = {}): ContactSimulation => ({
  contact_id: randomUUID(),
  phone_number: null,
  custom_data: {},
  steps: [stepAt(0), stepAt(1)],
  eligibilities: [SENDING, { status: 'skipped', reason: 'the contact is blocked', gate: null }],
  at: 1_700_000_000_000,
  hasSlot: false,
  heldBy: [],
  sentOn: new Map([['2026-03-01', 1]]),
  ...more,
});

describe('the store of courses', () => {
  it('gives each course back as it was added, and as it was saved', () => {
    const store = createCourseStore(GATES);
    const courses = [
      courseOf(),
      courseOf({ phone_number: '+4915112345678', heldBy: ['quiet_hours'], at: 7 }),
      courseOf({ custom_data: { timezone: 'Asia/Tokyo' }, hasSlot: true, sentOn: new Map() }),
      courseOf({ eligibilities: [SENDING, SENDING] }),
    ];
    for (const course of courses) store.add(course);
    expect(courses.map((_, number) => store.load(number))).toEqual(courses);
    const changed = courses.map(({ steps, eligibilities, ...course }, n) => ({
      ...course,
      steps: steps.slice(1),
      eligibilities: eligibilities.slice(1),
      at: course.at + n,
      heldBy: ['daily_cap', 'sends_per_minute'],
      sentOn: new Map([['2026-03-02', n]]),
    }));
    for (const [number, course] of changed.entries()) store.save(number, course);
    expect(changed.map((_, number) => store.load(number))).toEqual(changed);
  });

  it('keeps the sends of the last day, which alone decide', () => {
    const store = createCourseStore(GATES);
    store.add(
      courseOf({
        sentOn: new Map([
          ['2026-03-02', 2],
          ['2026-03-01', 1],
        ]),
      }),
    );
    expect(store.load(0).sentOn).toEqual(new Map([['2026-03-02', 2]]));
  });

  it('changes nothing of a course by another that had all in common with it', () => {
    const store = createCourseStore(GATES);
    const courses = [courseOf(), courseOf()];
    for (const course of courses) store.add(course);
    const first = store.load(0);
    first.heldBy.push('daily_cap');
    first.sentOn.set('2026-03-02', 1);
    store.save(0, first);
    expect(store.load(1)).toEqual(courses[1]);
  });

  it('orders courses by time, then by step, then as they were added', () => {
    const store = createCourseStore(GATES);
    const later = { steps: [stepAt(1)], eligibilities: [SENDING] };
    for (const more of [{ at: 9 }, { at: 5, ...later }, { at: 5 }, { at: 5 }]) store.add(courseOf(more));
    expect([0, 1, 2, 3].toSorted(store.compare)).toEqual([2, 3, 1, 0]);
  });

  it('refuses more courses than fit, with the reason', () => {
    const store = createCourseStore(GATES, 2);
    for (const _ of [1, 2]) store.add(courseOf());
    expect(() => store.add(courseOf())).toThrow('With sends_per_minute, a forecast has at most 2 contacts');
    expect(store.count()).toBe(2);
  });
});
