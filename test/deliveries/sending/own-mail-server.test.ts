import { startMailSink } from '../../support/fakes/mail-sink.ts';
import { emailStep } from '../../support/sequences.ts';
import { eventually, startStack } from '../../support/stack/stack.ts';

const settingsOf = (url: string) => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), secure: false };
};

it('sends an org’s e-mail through its own server, and other orgs’ through the default one', async () => {
  const stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  const own = await startMailSink();
  try {
    const { status } = await stack.org.put('/integrations/email', { provider: 'smtp', settings: settingsOf(own.url) });
    expect(status).toBe(200);
    const request = {
      from_email: 'hello@acme.example',
      recipients: [{ to_email: 'ann@example.com' }],
      fallback_email_subject: 'Hi',
      fallback_email_body: 'Hi',
    };
    await stack.org.post('/email', request);
    await stack.other.post('/email', request);
    await eventually('both mails', () => own.mails.length === 1 && stack.sink.mails.length === 1);
  } finally {
    await stack.close();
    await own.close();
  }
});

it('pauses a sequence with a reason if its server must not be reached, and sends once the server is corrected', async () => {
  const stack = await startStack();
  try {
    await stack.org.put('/integrations/email', { provider: 'smtp', settings: settingsOf('smtp://127.0.0.1:25') });
    const { body } = await stack.org.post('/sequences', { filter: null, steps: [emailStep('Hi')] });
    await stack.org.post(`/sequences/${body.id}/contacts`, { contacts: [{ email: 'ann@example.com' }] });
    const paused = await eventually('the pause', async () => {
      const sequence = (await stack.org.get(`/sequences/${body.id}`)).body;
      return sequence.status === 'paused' && sequence;
    });
    expect(paused.paused_reason).toMatch(/127\.0\.0\.1.*EGRESS_ALLOW/);
    expect(stack.sink.mails).toEqual([]);

    await stack.org.delete('/integrations/email');
    await stack.org.put(`/sequences/${body.id}/resume`);
    await eventually('the mail', () => stack.sink.to('ann@example.com').length === 1);
    expect((await stack.org.get(`/sequences/${body.id}`)).body.paused_reason).toBeNull();
  } finally {
    await stack.close();
  }
});
