import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hubCrds, spokeCrds } from '@orrery/api'
import { CustomResourceDefinition } from '@orrery/kinds'
import { temporaryDirectory } from '../support/server.js'
import { startKindServer } from './kind-server.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

test('deploy/crds: equals the output of npm run generate', async (t) => {
  const fresh = await temporaryDirectory(t)
  execFileSync(process.execPath, [join(repository, 'tools/generate-crds.mjs'), fresh])
  for (const folder of ['hub', 'spoke']) {
    const kept = join(repository, 'deploy/crds', folder)
    assert.deepEqual(readdirSync(kept).sort(), readdirSync(join(fresh, folder)).sort())
    for (const file of readdirSync(kept)) {
      assert.equal(readFileSync(join(kept, file), 'utf8'), readFileSync(join(fresh, folder, file), 'utf8'), file)
    }
  }
})

test('CRDs: are accepted unchanged and without warnings', async (t) => {
  const { client, warnings, close } = await startKindServer()
  t.after(close)
  assert.deepEqual(warnings, [])
  for (const crd of [...hubCrds(), ...spokeCrds()]) {
    const { spec, status } = await client.get(CustomResourceDefinition, { name: crd.metadata.name as string })
    assert.deepEqual(spec, { conversion: { strategy: 'None' }, ...crd.spec })
    assert.deepEqual(status?.acceptedNames, crd.spec.names)
    const trouble = status?.conditions?.filter(({ type }) => type === 'NonStructuralSchema')
    assert.deepEqual(trouble, [])
  }
})
