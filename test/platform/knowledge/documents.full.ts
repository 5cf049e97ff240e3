// Documents of many kinds, encodings and makers are found as they were written, or refused with the reason.

import { describe, expect, it } from 'vitest';
import { zipOf } from '../../support/archives.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';
import { formOf } from '../../support/voice.js';

const base = '/api/v1/knowledge';

async function send(name: string, content: Buffer): Promise<{ answer: Answer; text: string | undefined }> {
  const world = await startWorld();
  const answer = await call(world, 'POST', `${base}/upload-file`, formOf({ files: [content, name] }));
  if (answer.status !== 201) return { answer, text: undefined };
  const { document } = (await call(world, 'GET', `${base}/${answer.body.document.id}`)).body;
  return { answer, text: document.content };
}

const wordNames = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const mark = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
const document = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><w:document ${wordNames} ${mark}><w:body>${content}</w:body></w:document>`;
const run = (content: string): string => `<w:r>${content}</w:r>`;
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const word = (content: string): Buffer => zipOf({ 'word/document.xml': document(content) });
const relations = (list: [type: string, target: string][]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(
      ([type, target], index) =>
        `<Relationship Id="r${index}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;
const notes = (kind: string, text: string): string =>
  `<w:${kind}s ${wordNames}><w:${kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:${kind}>` +
  `<w:${kind} w:id="1">${paragraph(text)}</w:${kind}></w:${kind}s>`;
const box = (text: string): string => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const shiftJis = bytes('93fa 967b 8cea 82cc 83 65 83 4c 83 58 83 67 82c5 82b7 8142');
const japanese = '日本語のテキストです。';

describe('the text of', () => {
  it.each<[what: string, name: string, content: Buffer, text: string]>([
    [
      'HTML with any references',
      'a.html',
      Buffer.from(
        '<p>caf&eacute; &mdash; 5&nbsp;&euro; &copy; &#8211; &#x1F600; &hellip; &lt;b&gt; &bogus; &amp;amp;</p>',
      ),
      'café — 5 € © – 😀 … <b> &bogus; &amp;',
    ],
    [
      'HTML with references without a semicolon and on several lines',
      'b.html',
      Buffer.from('<h1>A&ampB</h1><p>x &lang y</p>'),
      'A&B\n\nx &lang y',
    ],
    [
      'Word with numeric references',
      'c.docx',
      word(paragraph('caf&#233; &#x2014; &#128512; &amp;#233;')),
      'café — 😀 &#233;',
    ],
    ['Word with CDATA', 'd.docx', word(paragraph('<![CDATA[a < b & c]]> end')), 'a < b & c end'],
    [
      'Word with another prefix',
      'e.docx',
      zipOf({
        'word/document.xml': document(paragraph('Other prefixes.'))
          .replaceAll('w:', 'ns0:')
          .replace('xmlns:w=', 'xmlns:ns0='),
      }),
      'Other prefixes.',
    ],
    [
      'Word without a prefix',
      'f.docx',
      zipOf({
        'word/document.xml':
          '<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>None.</t></r></p></body></document>',
      }),
      'None.',
    ],
    [
      'Word whose document has another name',
      'g.docx',
      zipOf({
        '_rels/.rels': relations([['officeDocument', '/word/document2.xml']]),
        'word/document2.xml': document(paragraph('Second name.')),
      }),
      'Second name.',
    ],
    [
      'Word with footnotes and endnotes',
      'h.docx',
      zipOf({
        '_rels/.rels': relations([['officeDocument', 'word/document.xml']]),
        'word/_rels/document.xml.rels': relations([
          ['endnotes', 'endnotes.xml'],
          ['footnotes', 'footnotes.xml'],
        ]),
        'word/document.xml': document(paragraph('Body.')),
        'word/footnotes.xml': notes('footnote', 'At the foot.'),
        'word/endnotes.xml': notes('endnote', 'At the end.'),
      }),
      'Body.\n\nAt the foot.\n\nAt the end.',
    ],
    [
      'Word with a text box, once',
      'i.docx',
      word(
        `<w:p>${run('<w:t>Before, </w:t>')}${run(
          `<mc:AlternateContent><mc:Choice Requires="wps">${box('in the box')}</mc:Choice><mc:Fallback>${box('in the box')}</mc:Fallback></mc:AlternateContent>`,
        )}${run('<w:t>after.</w:t>')}</w:p>`,
      ),
      'in the box\n\nBefore, after.',
    ],
    [
      'Word with a fallback alone',
      'j.docx',
      word(
        paragraph(`</w:t><mc:AlternateContent><mc:Fallback><w:t>kept</w:t></mc:Fallback></mc:AlternateContent><w:t>`),
      ),
      'kept',
    ],
    [
      'Word with tabs, breaks and signs in attributes',
      'k.docx',
      word(
        `<w:p w:note="a > b">${run('<w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t>')}</w:p><w:p/>${paragraph('four')}`,
      ),
      'one two three\n\nfour',
    ],
    [
      'Word in UTF-16',
      'l.docx',
      zipOf({ 'word/document.xml': Buffer.from(`\ufeff${document(paragraph('Größe'))}`, 'utf16le') }),
      'Größe',
    ],
    [
      'Word with a passage that was moved',
      'x.docx',
      word(
        '<w:p><w:moveFrom w:id="1"><w:r><w:t>Moved. </w:t></w:r></w:moveFrom><w:r><w:t>First. </w:t></w:r>' +
          '<w:moveTo w:id="2"><w:r><w:t>Moved.</w:t></w:r></w:moveTo></w:p>',
      ),
      'First. Moved.',
    ],
    [
      'Word with ruby',
      'y.docx',
      word(
        `<w:p>${run('<w:t>a </w:t>')}${run(
          '<w:ruby><w:rubyPr/><w:rt><w:r><w:t>kanji</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby>',
        )}${run('<w:t> b</w:t>')}</w:p>`,
      ),
      'a 漢字kanji b',
    ],
    ['Cyrillic UTF-16 without a mark', 'z.txt', Buffer.from('Привет, мир', 'utf16le'), 'Привет, мир'],
    ['UTF-8 with a mark', 'm.txt', Buffer.from('\ufeffKäfer'), 'Käfer'],
    ['UTF-16 with a mark, little end first', 'n.txt', Buffer.from('\ufeffGrüße, 日本', 'utf16le'), 'Grüße, 日本'],
    ['UTF-16 with a mark, big end first', 'o.txt', utf16be('\ufeffGrüße, 日本'), 'Grüße, 日本'],
    ['UTF-16 without a mark', 'p.csv', Buffer.from('name;größe\nÄpfel;3\n', 'utf16le'), 'name;größe\nÄpfel;3\n'],
    ['UTF-16 without a mark, big end first', 'q.txt', utf16be('Plain words in UTF-16.'), 'Plain words in UTF-16.'],
    ['Windows-1252', 'r.txt', latin1('Caf\xe9 \x96 5 \x80, \x93quoted\x94'), 'Café – 5 €, “quoted”'],
    ['Shift-JIS that nothing names', 's.txt', shiftJis, japanese],
    [
      'HTML in Shift-JIS',
      't.html',
      Buffer.concat([latin1('<meta charset="Shift_JIS"><p>'), shiftJis, latin1('</p>')]),
      japanese,
    ],
    [
      'HTML in Latin-1',
      'u.html',
      latin1('<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>na\xefve</p>'),
      'naïve',
    ],
    [
      'HTML in Windows-1251 that an XML declaration names',
      'v.html',
      latin1('<?xml version="1.0" encoding="windows-1251"?><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>'),
      'Привет',
    ],
    [
      'HTML in UTF-8 that names another encoding',
      'w.html',
      Buffer.from('<meta charset="iso-8859-1"><p>naïve</p>'),
      'naïve',
    ],
  ])('%s', async (_, name, content, text) => {
    expect(await send(name, content)).toMatchObject({ text });
  });
});

describe('refused with the reason is', () => {
  it.each<[what: string, name: string, content: Buffer, reason: string]>([
    [
      'an encoding that cannot be told',
      'a.txt',
      latin1('\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0'),
      'its encoding cannot be told',
    ],
    ['an encoding that does not exist', 'b.html', latin1('<meta charset="latin-99"><p>na\xefve</p>'), 'latin-99'],
    [
      'a text that is not in the encoding that it names',
      'c.html',
      latin1('<meta charset="utf-8"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>'),
      'its encoding cannot be told',
    ],
    [
      'ASCII with one byte that is 0',
      'f.txt',
      Buffer.from('The password is secret\0 and this is ASCII.'),
      'it has bytes that are 0',
    ],
    [
      'half a character of UTF-16',
      'd.txt',
      Buffer.concat([Buffer.from('\ufeffab', 'utf16le'), bytes('00d8')]),
      'utf-16le',
    ],
    [
      'Word that ends too early',
      'e.docx',
      zipOf({ 'word/document.xml': '<w:document><w:p><w:t>half' }),
      'not a complete .docx',
    ],
  ])('%s', async (_, name, content, reason) => {
    const { answer } = await send(name, content);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].message).toContain(reason);
  });
});
