import { hash } from 'node:crypto';

/** Most texts have none of these, and are not searched for session ids. */
const MAY_HAVE_SESSION = /[?&;](?:phpsess|jsess|aspsess|cfid|cftoken|oscsid|zenid|sid|sess)|\/(?:\(|%28)S(?:\(|%28)/i;
/** Parameters of session ids, in the query or in the path of a link, with any value. */
const SESSION_PARAMETER =
  /([?&;](?:phpsessid|jsessionid|aspsessionid\w{1,20}|cfid|cftoken|oscsid|zenid)=)[\w%.~,!-]*/gi;
/** Names that may also stand for something else, such as a session of a conference: only a value like a random one counts. */
const RANDOM_VALUE = /([?&;](?:sid|sess(?:ion)?(?:[_-]?(?:id|key))?)=)(?=[\w%.~,-]*\d)[\w%.~,-]{8,}/gi;
/** ASP.NET puts the session id into the path. Markdown escapes its brackets. */
const PATH_SEGMENT = /(\/(?:\(|%28)S(?:\(|%28))[a-z0-9]{24}(?=(?:\)|%29){2})/g;

/** Returns the hash of a text in Markdown that stays the same if only the session ids in its links change. */
export const textHashOf = (markdown: string): string => hash('sha256', withoutSessionIds(markdown));

const withoutSessionIds = (markdown: string): string =>
  MAY_HAVE_SESSION.test(markdown)
    ? [SESSION_PARAMETER, RANDOM_VALUE, PATH_SEGMENT].reduce((text, pattern) => text.replace(pattern, '$1'), markdown)
    : markdown;
