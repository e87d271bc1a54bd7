import { sql } from 'kysely';
import { reviewNewCitations } from '../../../src/ai/citations/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { ARTICLES, newAnsweringOrg, QUESTION } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  // the relay deletes events once they are dealt with
  await sql`
    create table seen_events (org_id uuid, subject_id uuid, payload jsonb);
    create function see_event() returns trigger language plpgsql as
      'begin insert into seen_events values (new.org_id, new.subject_id, new.payload); return new; end';
    create trigger see_event after insert on outbox for each row when (new.type = 'cited-page-changed') execute function see_event();
  `.execute(stack.db);
});
afterAll(() => stack.close());

const REFUNDS = ARTICLES[0] as (typeof ARTICLES)[number];

async function answered(org: TestOrg, more: object = {}) {
  const { body } = await org.post('/chat/sessions', { channel: { type: 'api' }, ...more });
  await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });
  const [turn] = (await org.get(`/chat/sessions/${body.id}/turns`)).body.items;
  expect(turn).toMatchObject({ state: 'answered', citations: [{ title: 'Refunds' }] });
  return turn;
}

/** Replaces the first article, or removes it. */
const publish = (org: TestOrg, text: string | undefined) =>
  org.put('/help-center/content', {
    categories: [
      {
        name: 'Shop',
        slug: 'shop',
        articles: [...(text === undefined ? [] : [{ ...REFUNDS, content_markdown: text }]), ...ARTICLES.slice(1)],
      },
    ],
  });

const changedOf = async (org: TestOrg, query = '') =>
  (await org.get(`/autopilot/citations/changed${query}`)).body.items;
const eventsOf = async (org: TestOrg) =>
  (await sql`select subject_id, payload from seen_events where org_id = ${org.id}`.execute(stack.db)).rows;

it('tells the widget which sources an answer quotes', async () => {
  const org = await newAnsweringOrg(stack);
  const widget = await unverified(stack, org);
  const session = await widget.newSession();
  await widget.send(session, QUESTION);
  const answer = await eventually('the answer', async () =>
    (await widget.poll(session)).history.find(({ sender }: { sender: { kind: string } }) => sender.kind === 'ai'),
  );
  expect(answer.citations).toEqual([
    { title: 'Refunds', url: expect.stringContaining('/refunds'), quote: expect.stringContaining('five working days') },
  ]);
});

describe('answers that cite a page which has changed since', () => {
  it('are listed and announced once a change, and no longer once the text is back', async () => {
    const org = await newAnsweringOrg(stack);
    const contact = await org.post('/contacts', { contact: { name: 'Ada', email: 'ada@customer.example' } });
    const turns = [await answered(org), await answered(org, { contact_id: contact.body.id })];
    const { item_id, quote } = turns[0].citations[0];
    expect(await changedOf(org)).toEqual([]);

    await publish(org, 'Refunds arrive within ten working days.');
    const listed = await eventually('the changed citations', async () => {
      const items = await changedOf(org);
      return items.length === 2 ? items : undefined;
    });
    expect(listed).toEqual(
      expect.arrayContaining(
        turns.map(({ id, session_id, message_id }) =>
          expect.objectContaining({ turn_id: id, session_id, message_id, item_id, quote }),
        ),
      ),
    );
    const sessionOf = (turn: { session_id: string }) =>
      listed.find((one: typeof turn) => one.session_id === turn.session_id);
    expect(turns.map(sessionOf)).toMatchObject([
      { ticket_number: expect.any(Number), contact_name: null },
      { ticket_number: expect.any(Number), contact_name: 'Ada' },
    ]);
    expect(await eventsOf(org)).toMatchObject([{ subject_id: item_id, payload: { item_id, turns: 2 } }]);
    expect((await changedOf(stack.other)).length).toBe(0);

    const [first, second] = listed;
    const page = (await org.get('/autopilot/citations/changed?limit=1')).body;
    expect(page.items).toEqual([first]);
    expect((await org.get(`/autopilot/citations/changed?limit=1&cursor=${page.next}`)).body).toEqual({
      items: [second],
      next: null,
    });
    expect(await changedOf(org, `?item_id=${item_id}`)).toEqual(listed);
    expect(await changedOf(org, `?item_id=${turns[0].id}`)).toEqual([]);
    for (const turn of turns)
      expect(await changedOf(org, `?session_id=${turn.session_id}&item_id=${item_id}`)).toEqual([sessionOf(turn)]);
    expect(await changedOf(org, `?session_id=${turns[0].id}`)).toEqual([]);

    await publish(org, 'Refunds arrive within twelve working days.');
    await publish(org, REFUNDS.content_markdown);
    await eventually('the empty list', async () => (await changedOf(org)).length === 0);
    expect(await eventsOf(org)).toHaveLength(1);
  });

  it('are those of removed pages too, and not those whose page only moved', async () => {
    const org = await newAnsweringOrg(stack);
    const turn = await answered(org);
    await publish(
      org,
      `${REFUNDS.content_markdown}\n\n## Vouchers\n\nA voucher is paid back as a voucher, not as money.`,
    );
    await publish(org, undefined);
    const [citation] = await eventually('the changed citation', async () => {
      const items = await changedOf(org);
      return items.length > 0 ? items : undefined;
    });
    expect(citation).toMatchObject({ turn_id: turn.id, title: 'Refunds' });
    expect(await eventsOf(org)).toHaveLength(1);
  });

  it('are found also where the page changed while the answer was made', async () => {
    const org = await newAnsweringOrg(stack);
    const turn = await answered(org);
    await publish(org, 'Refunds arrive within ten working days.');
    await eventually('the changed citation', async () => (await changedOf(org)).length === 1);
    // as if the answer was stored after the change was reviewed
    await stack.db.updateTable('ai_claims').set({ changed_at: null }).where('turn_id', '=', turn.id).execute();
    const events = [{ payload: { message_id: turn.message_id, sender: 'ai' } }];
    await inTransaction(stack.db, (trx) => reviewNewCitations(trx, org.id, events));
    await inTransaction(stack.db, (trx) => reviewNewCitations(trx, org.id, events));
    expect(await changedOf(org)).toMatchObject([{ turn_id: turn.id }]);
    expect(await eventsOf(org)).toHaveLength(2);
  });

  it('refuse a list by what is no id or cursor', async () => {
    expect(await stack.org.get('/autopilot/citations/changed?item_id=no')).toMatchObject({ status: 400 });
    expect(await stack.org.get('/autopilot/citations/changed?cursor=no')).toMatchObject({ status: 400 });
  });
});
