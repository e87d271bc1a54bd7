import { readHtml } from '../../src/extraction/page.ts';

const linksIn = (body: string) => {
  const { links, markdown } = readHtml(`<title>Map</title><body><main>${body}</main></body>`, 'http://a.example/x/');
  return { links: links.map((link) => link.replace('http://a.example', '')), markdown: markdown.trim() };
};

it.each([
  ['an image map', '<map name="m"><area href="/a" alt="A"><AREA shape="rect" href="b#part"></map>', ['/a', '/x/b']],
  ['an image map with a text', '<map><p><a href="/a">A</a></p></map>', ['/a']],
  ['an image map in an object', '<object><map><area href="/a"/></map></object>', ['/a']],
  ['a drawing', '<svg><a xlink:href="/a"><path/></a><a href="/b"><text>B</text></a></svg>', ['/a', '/b']],
  ['an area without a map', '<area href="/a">', ['/a']],
])('the links of %s are followed, and its text is not read', (_, html, links) => {
  expect(linksIn(`<p>Choose.</p>${html}`)).toEqual({ links, markdown: 'Choose.' });
});

it.each([
  '<template><a href="/a">A</a></template>',
  '<script>"<a href=/a>"</script>',
  '<select><a href="/a">A</a></select>',
])('what no browser shows as a link is none: %s', (html) => {
  expect(linksIn(`<p>Choose.</p>${html}`).links).toEqual([]);
});

it('reads the links of a map with more areas than are followed', () => {
  const { links, cutLinks } = readHtml(
    `<map>${Array.from({ length: 12_000 }, (_, nth) => `<area href="/${nth}">`).join('')}</map>`,
    'http://a.example/',
  );
  expect([links.length, cutLinks]).toEqual([10_000, 2_000]);
});
