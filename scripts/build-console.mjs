import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/**
 * Builds the console of src/console, the scripts and the search index of the documents, and the script of the API
 * reference into dist/console, from where the gateway serves them. Runs with `npm ci`; without the development packages
 * it does nothing. Plain JavaScript, since npm may run it under a Node that reads no TypeScript.
 */
const vite = await import('vite').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  return null
})
if (vite === null) console.log('The console is not built: vite, a development package, is not installed.')
else {
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
      rolldownOptions: {
        input: {
          console: inConsole('index.html'),
          documents: inConsole('documents/documents.ts'),
          reference: inConsole('documents/reference.ts'),
        },
        // The gateway's own pages name the scripts of the documents, so these have names without a hash.
        output: {
          entryFileNames: ({ name }) => (name === 'console' ? 'assets/[name]-[hash].js' : 'documents/[name].js'),
        },
      },
    },
  })
  await Promise.all([writeReference(), writeSearch(vite)])
}

/** Writes the index of the documents' search. Vite runs its code, which is TypeScript. */
async function writeSearch({ runnerImport }) {
  const { module } = await runnerImport(fileURLToPath(new URL('search/build.ts', import.meta.url)), {
    configFile: false,
  })
  const index = module.searchIndex(new URL('../', import.meta.url))
  await writeFile(new URL('../dist/console/documents/search.json', import.meta.url), index)
}

/** Takes the script of the reference out of its Fastify plugin, whose page needs inline code and is not used. */
async function writeReference() {
  const [{ default: Fastify }, { default: plugin }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ])
  const app = Fastify()
  await app.register(plugin, { routePrefix: '/api', configuration: { url: '/openapi.json' } })
  const { statusCode, rawPayload } = await app.inject('/api/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`The plugin of the reference has no script: ${statusCode}`)
  const licence = await readFile(
    new URL('../node_modules/@scalar/fastify-api-reference/LICENSE', import.meta.url),
    'utf8',
  )
  await writeFile(new URL('../dist/console/documents/scalar.js', import.meta.url), rawPayload)
  await appendFile(
    new URL('../dist/console/licences.md', import.meta.url),
    `\n\n## @scalar/api-reference\n\n${licence}`,
  )
}

function inConsole(path) {
  return fileURLToPath(new URL(`../src/console/${path}`, import.meta.url))
}
