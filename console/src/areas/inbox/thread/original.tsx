import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { Button, failureOf, Skeleton } from '../../../ui/parts';

const POLICY = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'";
/** Without scripts and an origin. A link opens another page, which has both. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';
const PICTURE = /<img [^>]*>/g;
const MAX_PICTURES = 100;

interface MailProps {
  sessionId: string;
  messageId: string;
}

/** An e-mail as it came, in a frame that can run and load nothing. Remote pictures are loaded when somebody asks. */
export const Original = (message: MailProps) => {
  const path = { id: message.sessionId, messageId: message.messageId };
  const source = useQuery({
    queryKey: ['getMessageSource', message.messageId],
    queryFn: () => dataOf(api.GET('/chat/sessions/{id}/messages/{messageId}/source', { params: { path } })),
    staleTime: 300_000,
  });
  const failure = failureOf(source);
  if (source.data === undefined) return failure || <Skeleton rows={2} />;
  const { html, text, from, to, cc } = source.data;
  return (
    <div className="mt-2 w-160 max-w-full">
      {failure}
      <p className="text-xs break-words text-quiet">
        From {from} to {to}
        {cc.length > 0 && `, copies to ${cc.join(', ')}`}
      </p>
      {html === null ? (
        <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
          {text}
        </p>
      ) : (
        <Html {...message} html={html} />
      )}
    </div>
  );
};

const Html = ({ html, ...message }: MailProps & { html: string }) => {
  const [isAsked, ask] = useState(false);
  const count = Math.min(html.match(PICTURE)?.length ?? 0, MAX_PICTURES);
  const pictures = useQuery({
    queryKey: ['getMessagePicture', message.messageId],
    queryFn: () => Promise.all(Array.from({ length: count }, (_, position) => picture(message, position))),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      {count > 0 && pictures.data === undefined && (
        <Button className="mt-1 h-6 px-1.5 text-xs" disabled={isAsked} onClick={() => ask(true)}>
          {isAsked ? 'Loading pictures' : count === 1 ? 'Show 1 picture' : `Show ${count} pictures`}
        </Button>
      )}
      <iframe
        title="The e-mail as it came"
        sandbox={SANDBOX}
        referrerPolicy="no-referrer"
        srcDoc={documentOf(html, pictures.data ?? [])}
        className="mt-1 block h-96 min-h-24 w-full resize-y rounded border border-line bg-white"
      />
    </>
  );
};

/** Resolves to the address of a picture, or to nothing if its server does not give it. */
async function picture({ sessionId, messageId }: MailProps, position: number): Promise<string | undefined> {
  const params = { path: { id: sessionId, messageId, position } };
  const { data } = await api.GET('/chat/sessions/{id}/messages/{messageId}/pictures/{position}', { params });
  return data && `data:${data.mime_type};base64,${data.content}`;
}

/** Mails are written for a white page: the frame has one in each theme. */
function documentOf(html: string, pictures: (string | undefined)[]): string {
  let position = 0;
  const shown = html.replaceAll(PICTURE, (tag) => {
    const source = pictures[position++];
    return source === undefined ? '' : tag.replace(/ data-src="[^"]*"/, ` src="${source}"`);
  });
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><body bgcolor="white" text="black" link="#1d4ed8"><font face="sans-serif" size="2">${shown}</font></body>`;
}
