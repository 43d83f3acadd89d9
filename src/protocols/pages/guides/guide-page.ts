import { Marked } from 'marked'
import { html, page } from '../page.ts'
import { neighbours } from '../parts.ts'
import { type Guide, guideFiles } from './guides.ts'
import { idOf, plain, rowName } from './marks.ts'

/** Where the list of guides is, and below it each guide. */
export const guidesPath = '/docs/guides'

/**
 * A guide as a page, beside the list of `guides` and its own headings where there are guides. HTML in its Markdown is left out, and so are pictures, which the policy of
 * the pages does not allow.
 */
export function guidePage(guide: Guide, guides: readonly Guide[] = []): string {
  const headings: [id: string, text: string][] = []
  const marked = new Marked({
    renderer: {
      html: () => '',
      image: () => '',
      heading({ tokens, depth, text }) {
        if (depth === 2) headings.push([idOf(text), plain(text)])
        return `<h${depth} id="${html(idOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = addressOf(href, guide.file)
        return address === null ? text : `<a href="${html(address)}">${text}</a>`
      },
      table({ header, rows }) {
        const names = header.map(({ text }) => plain(text))
        const cells = (row: typeof header) =>
          row.map(({ tokens }, place) => {
            const label = html(names[place] ?? '')
            return `<td data-label="${label}"><div>${this.parser.parseInline(tokens)}</div></td>`
          })
        const lines = rows.map((row) => {
          const name = rowName(row[0]?.text ?? '')
          return `<tr${name === null ? '' : ` id="${name}"`}>${cells(row).join('')}</tr>`
        })
        // A column without a name has no header that a reader could announce.
        const head = header.map(({ tokens }) => {
          const tag = tokens.length > 0 ? 'th' : 'td'
          return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
        })
        return `<table class="cards"><tr>${head.join('')}</tr>${lines.join('')}</table>\n`
      },
      code: ({ text, lang = '' }) => `<pre><code class="language-${html(lang)}">${html(text)}</code></pre>\n`,
    },
  })
  const body = marked.parse(guide.markdown.replace(/^# .+\n/, ''), { async: false })
  const article = `<article>${body}${waysOf(guide, guides)}</article>`
  return page(
    guide.title,
    guides.length === 0
      ? article
      : `<style>${layout}</style><div class="guide">${article}${sides(guide, guides, headings)}</div>`,
  )
}

/** All guides, and the headings of this one. */
function sides(guide: Guide, guides: readonly Guide[], headings: readonly [string, string][]): string {
  const all = guides.map(({ name, title }) => {
    const current = name === guide.name ? ' aria-current="page"' : ''
    return `<li><a href="${guidesPath}/${name}"${current}>${html(plain(title))}</a></li>`
  })
  const own = headings.map(([id, text]) => `<li><a href="#${html(id)}">${html(text)}</a></li>`)
  return `<nav class="all" aria-label="Guides"><ul>${all.join('')}</ul></nav>
<nav class="own" aria-label="On this page"><ul>${own.join('')}</ul></nav>`
}

/** Links to the guide before and the one after. */
function waysOf({ name }: Guide, guides: readonly Guide[]): string {
  const place = guides.findIndex((guide) => guide.name === name)
  const to = (guide: Guide | undefined): [string, string] | null =>
    guide === undefined ? null : [plain(guide.title), `${guidesPath}/${guide.name}`]
  return neighbours(to(guides[place - 1]), to(guides[place + 1]))
}

/** The list of guides stands left of the guide, and below it on a phone; the headings stand right on a wide screen alone. */
const layout = `main:has(.guide){max-width:84rem}.guide article{min-width:0;max-width:52rem}.guide nav{font-size:.9rem}.guide nav ul{list-style:none;margin:0;padding:0}.guide nav li{padding:.15rem 0}.guide .own{display:none}
.guide .ways{border-top:1px solid var(--line);padding-top:.8rem}.guide .ways a[rel=next]{margin-left:auto}.block{position:relative}.block .copy{position:absolute;top:.3rem;right:.3rem;font:inherit;font-size:.8rem}@media(max-width:40rem){.block .copy{position:static;display:block;margin:0 0 .2rem auto}}article tr:target{outline:2px solid var(--accent)}.guide [aria-current]{font-weight:600;color:var(--text)}
@media(min-width:56rem){.guide{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:2rem}.guide .all{order:-1}.guide nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}}
@media(min-width:76rem){.guide{grid-template-columns:13rem minmax(0,1fr) 13rem}.guide .own{display:block}}`

/** Where a link of a guide leads here: to another guide, into this page or to the web; null for a file that is not served. */
export function addressOf(href: string, file: string): string | null {
  if (href.startsWith('#') || /^https?:/.test(href)) return href
  const { protocol, pathname, hash } = new URL(href, `file:///${file}`)
  if (protocol !== 'file:') return null
  const target = Object.entries(guideFiles).find(([, path]) => [`/${path}`, `/${path}/`].includes(pathname))
  return target === undefined ? null : `${guidesPath}/${target[0]}${hash}`
}
