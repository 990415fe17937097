import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ConfigMap, Namespace } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { afterwards, startServer } from '../support/server.js'

const README = new URL('../../../packages/kube/README.md', import.meta.url)

test('packages/kube/README.md: the controller works when pasted, in under 30 lines', async (t) => {
  const code = /## A controller\n.*?```js\n(.*?)```/s.exec(await readFile(README, 'utf8'))?.[1] ?? ''
  assert(code !== '' && code.trimEnd().split('\n').length < 30)
  const server = await startServer(t)
  // Beside the tests, so that packages are resolved as in a user's project.
  const directory = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), 'pasted-'))
  afterwards(t, () => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'team-info.mjs'), code)
  const program = spawn(process.execPath, [join(directory, 'team-info.mjs')], {
    env: { ...process.env, KUBECONFIG: server.kubeconfig },
    stdio: 'inherit',
  })
  const ended = new Promise<number | null>((resolve) => program.once('exit', resolve))
  afterwards(t, () => void program.kill('SIGKILL'))
  const client = await clientFrom(server.kubeconfig)
  afterwards(t, () => client.close())
  const ref = { namespace: 'default', name: 'team' }
  await client.patch(Namespace, { name: 'default' }, { metadata: { labels: { team: 'blue' } } })
  await eventually('the ConfigMap has the team', async () => (await client.find(ConfigMap, ref))?.data?.team === 'blue')
  await client.delete(ConfigMap, ref)
  await eventually('it is restored', async () => (await client.find(ConfigMap, ref)) !== undefined)
  program.kill('SIGINT')
  assert.equal(await ended, 0)
})
