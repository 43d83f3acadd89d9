import { Marked } from 'marked'
import { html, page } from '../page.ts'
import { type Guide, guideFiles } from './guides.ts'

/** A guide as a page. HTML in its Markdown is left out, and so are pictures, which the policy of the pages does not allow. */
export function guidePage(guide: Guide): string {
  const marked = new Marked({
    renderer: {
      html: () => '',
      image: () => '',
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${html(idOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = addressOf(href, guide.file)
        return address === null ? text : `<a href="${html(address)}">${text}</a>`
      },
      code: ({ text, lang = '' }) => `<pre><code class="language-${html(lang)}">${html(text)}</code></pre>\n`,
    },
  })
  const body = marked.parse(guide.markdown.replace(/^# .+\n/, ''), { async: false })
  return page(
    guide.title,
    `<p><a href="${guidesPath}">Guides</a> · <a href="/docs">API reference</a></p><article>${body}</article>`,
  )
}

/** The list of guides as a page. */
export function guideListPage(guides: readonly Guide[]): string {
  const rows = guides.map(
    ({ name, title, summary }) =>
      `<tr><th><a href="${guidesPath}/${name}">${html(title)}</a></th><td class="text">${html(plain(summary))}</td></tr>`,
  )
  return page(
    'Guides',
    `<p><a href="/docs">API reference</a> · for agents: <a href="/llms.txt">llms.txt</a>, <a href="/llms-full.txt">llms-full.txt</a></p><table>${rows.join('')}</table>`,
  )
}

export const guidesPath = '/docs/guides'

/** The text of a line of Markdown, without its marks. */
export function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`([^`]*)`|\*+([^*]+)\*+/g, '$1$2')
}

/** The Markdown of a guide with the links as served here: those to files that are not served are plain text, and pictures are left out. */
export function servedMarkdown({ markdown, file }: Guide): string {
  const withLinks = (text: string) =>
    text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture: string, label: string, href: string) => {
      if (picture !== '') return ''
      if (/^(https?:|#)/.test(href)) return whole
      const address = addressOf(href, file)
      return address === null ? label : `[${label}](${address.replace(/(#.*)?$/, '.md$1')})`
    })
  // Every other piece is a block of code, which stays as it is.
  return markdown
    .split(/^(```[\s\S]*?^```)/m)
    .map((piece, index) => (index % 2 === 0 ? withLinks(piece) : piece))
    .join('')
}

/** Where a link of a guide leads here: to another guide, into this page or to the web; null for a file that is not served. */
function addressOf(href: string, file: string): string | null {
  if (href.startsWith('#') || /^https?:/.test(href)) return href
  const { protocol, pathname, hash } = new URL(href, `file:///${file}`)
  if (protocol !== 'file:') return null
  const target = Object.entries(guideFiles).find(([, path]) => [`/${path}`, `/${path}/`].includes(pathname))
  return target === undefined ? null : `${guidesPath}/${target[0]}${hash}`
}

/** The id of a heading, as code hosts make it, so that links work in both places. */
function idOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')
}
