import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { BROWSER_PACKAGES, entriesOf, REPOSITORY } from './workspace.js'

/** Globals that ECMAScript does not define, but every browser has. */
const WEB_GLOBALS = { TextDecoder, TextEncoder }

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(REPOSITORY, 'tests') },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'result',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

function run(code: string): unknown {
  const context = createContext({ ...WEB_GLOBALS })
  runInContext(code, context)
  return JSON.parse(runInContext('JSON.stringify(result)', context) as string)
}

test('kinds, cel, api: every entry bundles for a browser and loads without Node', async () => {
  const entries = BROWSER_PACKAGES.flatMap(entriesOf)
  assert.ok(entries.includes('@orrery/cel/schema'))
  const names = entries.map((entry, index) => ({ entry, name: `entry${index}` }))
  const imports = names.map(({ entry, name }) => `import * as ${name} from '${entry}'`)
  const counts = names.map(({ entry, name }) => `'${entry}': Object.keys(${name}).length`)
  const code = await bundled(`${imports.join('\n')}\nexport const exported = { ${counts.join(', ')} }`)
  assert.doesNotMatch(code, /\b(Buffer|process|require|setImmediate|__dirname)\b\s*[.(]/)
  const { exported } = run(code) as { exported: Record<string, number> }
  assert.deepEqual(Object.keys(exported), entries)
  for (const { manifest } of BROWSER_PACKAGES) assert.ok((exported[manifest.name] ?? 0) > 0, manifest.name)
})

test('kinds, cel, api: values, expressions and schemas work without Node', async () => {
  const code = await bundled(`
    import { Deployment } from '@orrery/kinds'
    import { canonicalQuantity, compareQuantity, parseLabelSelector, parseQuantity } from '@orrery/kinds/values'
    import { kindSchema } from '@orrery/kinds/tables'
    import { compile, dynType } from '@orrery/cel'
    import { compileRegex } from '@orrery/cel/regex'
    import { ManagedCluster, partsSelector } from '@orrery/api'

    const { program } = compile("self.names.exists(n, n.matches('^w.*b$')) && bytes('é').size() == 2", {
      variables: { self: dynType },
    })
    const wrong = { metadata: { name: 'c' }, spec: { taints: [{ key: 'a' }] } }
    export const plural = Deployment.plural
    export const quantity = compareQuantity(parseQuantity('1500m'), parseQuantity('1.5'))
    export const selected = parseLabelSelector('app in (web, api), !canary').matches({ app: 'web' })
    export const fields = kindSchema('apps', 'v1', 'Deployment').fields.has('spec')
    export const expression = program.evaluate({ self: { names: ['api', 'web'] } }).value
    export const matched = compileRegex('^a+$').test('aaa')
    export const errors = ManagedCluster.validate(wrong).map(({ path, field }) => path ?? field)
    export const accepted = ManagedCluster.validate({ metadata: { name: 'c' }, spec: { hubAcceptsClient: true } })
    export const parts = partsSelector('w'.repeat(100))
  `)
  const { errors, parts, ...rest } = run(code) as { errors: string[]; parts: string }
  assert.deepEqual(rest, {
    plural: 'deployments',
    quantity: 0,
    selected: true,
    fields: true,
    expression: true,
    matched: true,
    accepted: [],
  })
  assert.deepEqual(errors, ['spec.taints[0].effect'])
  assert.match(parts, /=w{46}-[0-9a-f]{16}$/)
})
