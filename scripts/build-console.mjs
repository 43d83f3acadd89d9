import { fileURLToPath } from 'node:url'

/**
 * Builds the console of src/console into dist/console, from where the gateway serves it. Runs with `npm ci`; without the
 * development packages it does nothing. Plain JavaScript, since npm may run it under a Node that reads no TypeScript.
 */
const vite = await import('vite').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  return null
})
if (vite === null) console.log('The console is not built: vite, a development package, is not installed.')
else
  await vite.build({
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(new URL('../src/console', import.meta.url)),
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
      emptyOutDir: true,
      target: 'es2023',
      // Newer than the default, which would rewrite light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The policy of the page allows no data: sources for scripts and styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: 'licences.md' },
    },
  })
