import { withoutEdges } from '../../text/edges.rules.ts';

/** A longer text is about something else, such as an article about errors. */
const MAX_LENGTH = 1_000;
/** Longer Markdown is not searched for the addresses of its links. */
const MAX_MARKDOWN_LENGTH = 10_000;
const MAX_STATEMENT_LENGTH = 200;
const LINK_TARGET = /\]\([^()[\]]*\)/g;
/** What separates the name of a page from the name of its site. */
const SEPARATORS = /\s[|–—·•:»«-]\s|[|·•»«]/u;

const CODE = '(?:(?:http )?(?:error|err|status|fehler|erreur|errore|erro|fel|fejl)?[ :]{0,2}404)';
const NOTICES = [
  '(?:(?:the|this|that) )?(?:requested )?(?:(?:web ?)?page|url|file|document|resource|content)?(?: (?:that )?you (?:requested|(?:are|were) looking for))?(?: (?:was|is|could|can))? ?(?:not|n.t) (?:be )?found',
  '(?:the|this|that) page can.?t be found',
  '(?:(?:the|this|that) )?(?:requested )?page (?:(?:that )?you (?:requested|(?:are|were) looking for) )?(?:does ?n[o.]?.?t exist|no longer exists)(?: any ?more)?',
  'we (?:can.?t|cannot|can not|could not|couldn.t) find (?:the|this|that) page(?: you (?:requested|(?:are|were) looking for))?',
  '(?:(?:die|diese) )?(?:[a-zäöü]{1,20} )?seite (?:(?:wurde|konnte) )?(?:leider )?nicht gefunden(?: werden)?',
  '(?:(?:die|diese) )?(?:[a-zäöü]{1,20} )?seite existiert (?:leider )?nicht(?: mehr)?',
  '(?:(?:la|cette) )?page (?:demandée )?(?:(?:est )?introuvable|non trouvée|n.a pas été trouvée|n.existe (?:pas|plus))',
  '(?:(?:la|esta) )?página (?:solicitada )?no (?:(?:ha sido|fue) )?(?:encontrada|existe)',
  '(?:(?:la|questa) )?pagina (?:richiesta )?non (?:(?:è stata )?trovata|esiste)',
  '(?:(?:a|esta) )?página (?:solicitada )?não (?:(?:foi )?encontrada|existe)',
  '(?:(?:de|deze) )?pagina (?:(?:is|werd|kon) )?(?:helaas )?niet gevonden(?: worden)?',
  'sid(?:an|en|a) (?:kunde inte hittas|hittades inte|finns inte|ble ikke funnet|blev ikke fundet|finnes ikke|findes ikke)',
  '(?:nie znaleziono (?:takiej )?strony|strona nie (?:istnieje|została znaleziona)|strony nie znaleziono)',
  'страница не (?:найдена|существует)',
  '(?:お探しの|指定された)?ページ[がは]見つかりません(?:でした)?',
  '(?:抱歉|对不起)?[,，]?(?:您访问的)?(?:页面|頁面|网页)(?:未找到|找不到|不存在)',
  '페이지를 찾을 수 없습니다',
].join('|');
/** A whole statement that a page is missing, with the code of the error before or behind it. */
const NOTICE = new RegExp(
  `^(?:${CODE}[ :.,–—-]{0,3}(?:${NOTICES})?|(?:${NOTICES})(?:[ :.,–—(-]{1,3}${CODE}\\)?)?)[.!。… ]{0,3}$`,
  'iu',
);
const INTERJECTION = /^(?:oops|ooops|ups|hoppla|sorry|uh-oh)[!,. …]{1,3}/iu;
/** The code alone may be the name of anything, so that the other words have to say it. */
const CODE_ALONE = /^404\W{0,3}$/;

/**
 * Whether a page says nothing but that it is missing: its title or its first line is such a statement, as a whole, and its
 * text is short.
 */
export function isMissingNotice({ title, markdown }: { title: string; markdown: string }): boolean {
  if (markdown.length > MAX_MARKDOWN_LENGTH) return false;
  const statements = [title, ...title.split(SEPARATORS), firstLineOf(markdown)];
  const notices = statements.filter(isNotice);
  if (notices.length === 0 || markdown.replaceAll(LINK_TARGET, ']').length > MAX_LENGTH) return false;
  return notices.some((notice) => !CODE_ALONE.test(notice.trim())) || linesOf(markdown).some(isWordyNotice);
}

const isNotice = (text: string): boolean =>
  text.length <= MAX_STATEMENT_LENGTH && NOTICE.test(text.trim().replace(INTERJECTION, ''));
const isWordyNotice = (line: string): boolean => isNotice(line) && !CODE_ALONE.test(line);

const firstLineOf = (markdown: string): string => linesOf(markdown.slice(0, MAX_LENGTH))[0] ?? '';

/** Returns the sentences of a short text, without its marks and an interjection at its beginning. */
const linesOf = (markdown: string): string[] =>
  markdown
    .replace(/^[#>*_\s-]+/, '')
    .replace(INTERJECTION, '')
    .split(/\n+|(?<=[.!?。])\s+/)
    .map((line) => withoutEdges(line.replace(/^[#>*_\s-]+/, ''), '*_ \t'))
    .filter((line) => line !== '');
