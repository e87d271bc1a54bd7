import type { FastifyRequest } from 'fastify';
import type { MailIntake, RawMail } from '../../mail/raw-mail.ts';
import { descriptionOf } from './raw-mails.service.ts';

/** Receives the e-mail that a request hands over, a chunk at a time. Sets `request.body` to its size and hash. */
export async function receiveMailUpload(request: FastifyRequest, intake: MailIntake): Promise<RawMail> {
  const content = request.raw.iterator({ destroyOnReturn: false });
  try {
    const mail = await intake.receive(content);
    request.body = await descriptionOf(mail);
    return mail;
  } finally {
    await content.return?.();
    request.raw.resume(); // only then does the sender of a refused e-mail see the answer
  }
}
