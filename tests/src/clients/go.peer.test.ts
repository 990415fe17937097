import test from 'node:test'
import { startServer } from '../support/server.js'
import { goProgram, runProgram } from './program.js'

const SUITES = [
  ['typed', 'typed, dynamic and metadata clients'],
  ['kinds', 'built-in kinds in both encodings'],
  ['apply', 'server-side apply'],
  ['lists', 'lists and pages'],
  ['watches', 'watches'],
  ['informers', 'informers'],
  ['leaders', 'leader election'],
  ['discovery', 'discovery, mappers and the scale client'],
  ['access', 'tokens, reviews, impersonation and eviction'],
  ['certificates', 'certificate requests'],
  ['events', 'event recorders'],
  ['extensions', 'custom resource definitions'],
  ['deletion', 'owners, orphans and namespaces'],
] as const

test('client-go', async (t) => {
  const server = await startServer(t)
  for (const [suite, title] of SUITES) {
    await t.test(title, (t) => runProgram(t, goProgram('current', suite), server.kubeconfig))
  }
})

test('client-go over HTTP/1.1', async (t) => {
  const server = await startServer(t)
  const environment = { DISABLE_HTTP2: 'true' }
  for (const suite of ['typed', 'watches', 'informers']) {
    await t.test(suite, (t) => runProgram(t, { ...goProgram('current', suite), environment }, server.kubeconfig))
  }
})

test('client-go across a restart of the server', async (t) => {
  const first = await startServer(t)
  const { dataDirectory } = first
  const { port } = new URL(first.url)
  await runProgram(t, goProgram('current', 'restart'), first.kubeconfig, {
    async restart() {
      await first.stop('SIGKILL')
      await startServer(t, { dataDirectory, arguments: ['--port', port] })
    },
  })
})

test('an older client-go', async (t) => {
  const server = await startServer(t)
  await runProgram(t, goProgram('old'), server.kubeconfig)
})

test('controller-runtime', async (t) => {
  const server = await startServer(t)
  await t.test('its client', (t) => runProgram(t, goProgram('current', 'objects'), server.kubeconfig))
  await t.test('a manager', (t) => runProgram(t, goProgram('current', 'manager'), server.kubeconfig))
  await t.test('its webhooks', (t) => runProgram(t, goProgram('current', 'webhooks'), server.kubeconfig))
})
