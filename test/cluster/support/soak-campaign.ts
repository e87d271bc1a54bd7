import { addressesOf, type FaultOrg } from '../../faults/support/fault-org.ts';

/** As many go out in each five seconds. */
const MAILS_A_MINUTE = 60;
const CONTACTS_A_SECOND = 100;

/** Starts a one-off sequence whose mails go out evenly for so many minutes. */
export async function startCampaign(org: FaultOrg, minutes: number): Promise<{ sequence: string; emails: string[] }> {
  const emails = addressesOf(org, Math.ceil(minutes * MAILS_A_MINUTE), 'campaign');
  await org.addContacts(emails, CONTACTS_A_SECOND);
  const gates = { sends_per_minute: MAILS_A_MINUTE };
  const sequence = await org.createSequence([{}], { is_continuous: false, gates });
  const { status, body } = await org.put(`/sequences/${sequence}/start`);
  if (status !== 200) throw new Error(`The campaign was not started: ${JSON.stringify(body)}`);
  return { sequence, emails };
}
