import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { serve } from '../processes.ts';

// A mail server accepting every message and storing none.
let taken = 0;
const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  onData(stream, _session, done) {
    stream.resume();
    stream.once('end', () => {
      taken++;
      done();
    });
  },
});
const listening = server.listen(0, '127.0.0.1');
await once(listening, 'listening');
const address = listening.address();

serve({
  url: async () => `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
  taken: async () => taken,
});
