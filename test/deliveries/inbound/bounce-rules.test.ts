import { bounceOf, recipientReports, reportAbout } from '../../../src/deliveries/mail/bounces.rules.ts';

describe('a delivery status report', () => {
  const reportOf = (fields: string) =>
    recipientReports(`Reporting-MTA: dns; mx\r\n\r\n${fields.replaceAll('\n', '\r\n')}`);
  const failed = (status: string, diagnostic: string, recipient = 'rfc822; ann@example.com') =>
    reportOf(`Final-Recipient: ${recipient}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: ${diagnostic}`);

  it.each([
    ['5.1.1', 'smtp; 550 5.1.1 unknown', true],
    ['5.1.10', 'smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound', true],
    ['5.1.2 (no such domain)', 'smtp; 550', true],
    ['5.2.1', 'smtp; 550 5.2.1 disabled', true],
    ['5.0.0', 'smtp; 550-5.1.1 The account does not exist.', true],
    ['', 'smtp; 550 5.1.1. No such user', true],
    ['5.1.7', 'smtp; 550 5.1.7 bad sender', false],
    ['5.1.8', 'smtp; 550 5.1.8 bad sender', false],
    ['5.2.2', 'smtp; 552 5.2.2 full', false],
    ['5.7.1', 'smtp; 550 5.7.1 blocked: 5.1.1 times', false],
    ['5.0.0', 'smtp; 550 blocked 5.1.1.7', false],
    ['5.0.0', 'smtp; 550 no', false],
    ['4.4.1', 'smtp; 5 days are over', false],
    ['nonsense', 'nonsense', false],
  ])('with status “%s” and diagnostic “%s” means a nonexistent address: %s', (status, diagnostic, isGone) => {
    const report = reportAbout('ann@example.com', failed(status, diagnostic));
    expect(report && bounceOf(report, 'ann@example.com')).toEqual({
      status: isGone ? 'bounced' : 'failed',
      suppression: isGone ? 'bounced' : null,
      reason: diagnostic.replace(/^smtp; ?/, ''),
    });
  });

  it.each([
    ['rfc822; <Ann@Example.com>', 'bounced'],
    ['rfc822;ann@example.com', 'bounced'],
    ['rfc822; somebody-of-the-list@example.com', 'failed'],
  ])('about a failure for %s sets our delivery to %s', (recipient, status) => {
    const report = reportAbout('ann@example.com', failed('5.1.1', 'smtp; 550 5.1.1', recipient));
    expect(report && bounceOf(report, 'ann@example.com').status).toBe(status);
  });

  it('is evaluated by the group about the recipient, if it has several groups', () => {
    const groups = [
      'Final-Recipient: rfc822; bob@example.com\nAction: failed\nStatus: 5.1.1',
      'FINAL-RECIPIENT : rfc822;\n  ann@example.com\nACTION : Delayed (tried again)\nSTATUS: 4.2.2',
    ];
    const reports = reportOf(`${groups.join('\n \n')}\n`);
    expect(reports).toHaveLength(2);
    expect(reportAbout('ann@example.com', reports)).toEqual({
      recipient: 'ann@example.com',
      action: 'delayed',
      status: '4.2.2',
      diagnostic: '',
    });
    expect(reportAbout('cyd@example.com', reports)?.recipient).toBe('bob@example.com');
  });
});
