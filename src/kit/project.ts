/** The extension of the modules that run: `.ts` from the source, `.js` from an installed package, which is compiled. */
export const moduleExtension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** The folder of the project, or of the installed package, where the modules lie one folder deeper, in `dist`. */
export const projectRoot = new URL(moduleExtension === '.ts' ? '../../' : '../../../', import.meta.url)
