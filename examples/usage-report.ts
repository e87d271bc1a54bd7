// Reports what each organization of a partner has used today and on the 29 days before (UTC), as CSV for an invoice.
//   SWITCHBOARD_URL=… SWITCHBOARD_PARTNER_KEY=… node examples/usage-report.ts > usage.csv
// With SWITCHBOARD_KEY alone, it is the report of one organization.
import { Switchboard, type SwitchboardOptions } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', SWITCHBOARD_PARTNER_KEY } = process.env;
const withKey = (key: SwitchboardOptions['key']) => new Switchboard({ baseUrl: SWITCHBOARD_URL, key });
const DAYS = 30;
const DAY_MS = 86_400_000;
const to = new Date();
/** All parts begin with a day of UTC, because the usage of models is counted by such days. */
const from = new Date((Math.floor(to.getTime() / DAY_MS) - DAYS + 1) * DAY_MS);
const range = { from: from.toISOString(), to: to.toISOString() };
const ORGS_PER_PAGE = 100;

/** Yields every organization of the partner, each with a key that is revoked after use. */
async function* orgsOf(partner: Switchboard) {
  for (let offset = 0; ; offset += ORGS_PER_PAGE) {
    const { data, total } = await partner.listPartnerOrgs({ query: { offset, limit: ORGS_PER_PAGE } });
    for (const { id, name } of data) {
      const key = await partner.createPartnerOrgKey({ path: { orgId: id }, body: { name: 'usage report' } });
      const org = withKey(key.api_key);
      try {
        yield { id, name, org };
      } finally {
        await org.revokeApiKey({ path: { id: key.api_key_id } });
      }
    }
    if (offset + data.length >= total || data.length === 0) return;
  }
}

async function* oneOrg(org: Switchboard) {
  const { id, name } = await org.getOrganization();
  yield { id, name, org };
}

/** A cell that begins like a formula is text in every spreadsheet. */
const cellOf = (value: string | number) => {
  const words = String(value).replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
};
const print = (cells: (string | number)[]) => console.log(cells.map(cellOf).join(','));

print(['id', 'name', 'sessions', 'messages', 'deliveries', 'ai_calls', 'ai_cost']);
const orgs =
  SWITCHBOARD_PARTNER_KEY === undefined ? oneOrg(withKey(SWITCHBOARD_KEY)) : orgsOf(withKey(SWITCHBOARD_PARTNER_KEY));
for await (const { id, name, org } of orgs) {
  const [conversations, deliveries, models] = await Promise.all([
    org.reportConversations({ query: range }),
    org.reportDeliveries({ query: range }),
    org.getAutopilotUsage({ query: { from: range.from.slice(0, 10), to: range.to.slice(0, 10), group_by: 'purpose' } }),
  ]);
  const { sessions, contact_messages, ai_messages, agent_messages } = conversations.totals;
  const sumOf = (pick: (item: (typeof models.items)[number]) => number) =>
    models.items.reduce((sum, item) => sum + pick(item), 0);
  print([
    ...[id, name, sessions, contact_messages + ai_messages + agent_messages, deliveries.totals.deliveries],
    ...[sumOf(({ calls }) => calls), sumOf(({ cost }) => cost).toFixed(4)],
  ]);
}
