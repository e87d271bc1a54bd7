import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { createMailIntake } from '../../../src/deliveries/mail/raw-mail.ts';
import { TooManyRequests } from '../../../src/errors.ts';

const KB = 1024;
const LARGE = Buffer.alloc(300 * KB, 'x');

/** Yields a chunk, and ends when it may. */
async function* held(until: Promise<void>) {
  yield LARGE;
  await until;
}
async function* chunks(...all: Buffer[]) {
  yield* all;
}

describe('the intake of mails', () => {
  it('has large mails in a file that goes with them, and small ones in memory', async () => {
    const { receive } = createMailIntake(1024 * KB);
    const [small, large] = [
      await receive(chunks(Buffer.from('a'), Buffer.from('b'))),
      await receive(chunks(LARGE, LARGE)),
    ];
    expect([small.source, small.size]).toEqual([Buffer.from('ab'), 2]);
    expect([large.size, (await buffer(large.open())).equals(Buffer.concat([LARGE, LARGE]))]).toEqual([
      2 * LARGE.length,
      true,
    ]);
    expect(existsSync(String(large.source))).toBe(true);
    await large[Symbol.asyncDispose]();
    expect(existsSync(String(large.source))).toBe(false);
  });

  it('takes eight large mails at once, and further ones once one of them is gone', async () => {
    const { receive } = createMailIntake(1024 * KB);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = receive(chunks(LARGE));
    const others = Array.from({ length: 7 }, () => receive(held(ended)));
    const [mail] = await Promise.all([first, new Promise(setImmediate)]);
    await expect(receive(chunks(LARGE))).rejects.toBeInstanceOf(TooManyRequests);
    expect((await receive(chunks(Buffer.from('small')))).size).toBe(5);
    await mail[Symbol.asyncDispose]();
    await (await receive(chunks(LARGE)))[Symbol.asyncDispose]();
    end();
    for (const other of await Promise.all(others)) await other[Symbol.asyncDispose]();
    await expect(receive(chunks(LARGE, LARGE, LARGE, LARGE))).rejects.toThrow('larger than the limit of 1 MB');
    const all = await Promise.all(Array.from({ length: 8 }, () => receive(chunks(LARGE))));
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  });

  it('takes two large mails of a client at once, and meanwhile those of others', async () => {
    const { receive } = createMailIntake(1024 * KB);
    const all = await Promise.all([1, 2].map(() => receive(chunks(LARGE), '192.0.2.1')));
    await expect(receive(chunks(LARGE), '192.0.2.1')).rejects.toBeInstanceOf(TooManyRequests);
    expect((await receive(chunks(Buffer.from('small')), '192.0.2.1')).size).toBe(5);
    all.push(await receive(chunks(LARGE), '192.0.2.2'), await receive(chunks(LARGE)));
    await all.shift()?.[Symbol.asyncDispose]();
    await expect(receive(chunks(LARGE, LARGE, LARGE, LARGE), '192.0.2.1')).rejects.toThrow('larger than');
    all.push(await receive(chunks(LARGE), '192.0.2.1'));
    for (const one of all) await one[Symbol.asyncDispose]();
  });
});
