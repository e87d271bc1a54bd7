import { join } from 'node:path';
import { connect, type Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { issueOrgKey, issuePartnerKey } from '../keys/service.ts';
import { createTokens, type Tokens } from '../keys/tokens.ts';
import { createKeyVerifier } from '../keys/verifier.ts';
import { addMember, changeMember } from '../orgs/members/service.ts';
import { createOrg, createPartner } from '../partners/service.ts';
import { createLoginLink } from '../sign-in/links.service.ts';
import { readJson, writePrivateJson } from './settings.ts';

export type Demo = {
  org_id: string;
  org_api_key: string;
  partner_api_key: string;
  widget_token: string;
  /** Whether the help center was loaded: what people have changed there since is theirs. */
  has_help_center?: boolean;
};

const FILE = 'demo.json';
const DEMO_MEMBER = 'admin@demo.example';

/** Records that the help center of the demo org was loaded. */
export const recordHelpCenter = (dataFolder: string, demo: Demo): void =>
  writePrivateJson(join(dataFolder, FILE), { ...demo, has_help_center: true });

/** Returns a new link that signs in to the demo org as its admin. */
export async function createDemoLogin(databaseUrl: string, api: string, { org_id: orgId }: Demo): Promise<string> {
  const { db, close } = connect(databaseUrl, { poolSize: 1 });
  try {
    return await inTransaction(db, async (trx) => {
      const userId = await addMember(trx, orgId, { email: DEMO_MEMBER, name: 'Demo admin' });
      await changeMember(trx, orgId, userId, { role: 'admin' });
      return (await createLoginLink(trx, api, { orgId, userId, opens: 'once' })).url;
    });
  } finally {
    await close();
  }
}

/**
 * Returns the demo partner, its org and a full-access key. Reuses those of an earlier start if the keys are still
 * valid.
 */
export async function seedDemo(databaseUrl: string, jwtSecret: string, dataFolder: string): Promise<Demo> {
  const file = join(dataFolder, FILE);
  const kept = readJson<Demo>(file);
  const tokens = createTokens([jwtSecret]);
  const { db, close } = connect(databaseUrl, { poolSize: 4 });
  try {
    if (kept && (await isUsable(db, tokens, kept))) return kept;
    const demo = await createDemo(db, tokens);
    writePrivateJson(file, demo);
    return demo;
  } finally {
    await close();
  }
}

async function isUsable(db: Db, tokens: Tokens, demo: Demo): Promise<boolean> {
  const keys = createKeyVerifier(db, tokens);
  const org = await keys.org(demo.org_api_key);
  return org?.id === demo.org_id && (await keys.partner(demo.partner_api_key)) !== undefined;
}

function createDemo(db: Db, tokens: Tokens): Promise<Demo> {
  return inTransaction(db, async (trx) => {
    const partner = await createPartner(trx, { name: 'Demo partner' });
    const org = await createOrg(trx, partner.id, { name: 'Demo org' });
    const partnerKey = await issuePartnerKey(trx, tokens, partner.id, 'Demo');
    const orgKey = await issueOrgKey(trx, tokens, org.id, { name: 'Demo' });
    return {
      org_id: org.id,
      org_api_key: orgKey.api_key,
      partner_api_key: partnerKey.api_key,
      widget_token: org.widget_token,
    };
  });
}
