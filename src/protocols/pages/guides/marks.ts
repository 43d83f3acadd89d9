/** The text of a line of Markdown, without its marks. */
export function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`([^`]*)`|\*+([^*]+)\*+/g, '$1$2')
}

/** The id of a heading, as code hosts make it, so that links work in both places. */
export function idOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')
}

/** The name by which a row of a table is found: a code or a setting in its first cell, such as `HTTP_PORT`; else null. */
export function rowName(firstCell: string): string | null {
  return /^`([A-Z][A-Z0-9_]{3,})`$/.exec(firstCell.trim())?.[1] ?? null
}
