import type { JoinOrder, PartReport } from './messages.js'

/**
 * A played part, for tests of the supervisor: `node played-part.fixture.js NAME BEHAVIOUR`. Behaviours: `well`,
 * `broken` (cannot start), `port-taken` (cannot start on the port PORT), `deaf` (does not stop), `stuck` (a cluster
 * that does not join), `guarded` (a hub that keeps cluster1 from joining), `unready` (a hub that serves and is never
 * ready).
 */
const [name = '', behaviour = 'well', port = ''] = process.argv.slice(2)

const report = (one: PartReport) => void process.send?.(one)
const clusterReport = (phase: 'accepted' | 'available') =>
  ({ type: 'cluster', cluster: { name: 'cluster1', phase, isAccepted: true } }) as const

function fail(message: string, isPortTaken: boolean): void {
  process.exitCode = 1
  process.send?.({ type: 'failed', message, isPortTaken } satisfies PartReport, undefined, undefined, () => {
    process.disconnect()
  })
}

function serve(): void {
  const kubeconfig = JSON.stringify({
    clusters: [{ name, cluster: { server: `https://127.0.0.1:${port}` } }],
    users: [{ name, user: { token: 'token' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
  report({ type: 'serving', url: `https://127.0.0.1:${port}`, kubeconfig })
  if (name === 'hub' && behaviour !== 'unready') {
    report({ type: 'phase', phase: 'ready' })
    report(clusterReport('accepted'))
    if (behaviour === 'guarded') report({ type: 'obstacle', cluster: 'cluster1', detail: 'NameTaken: it is alive' })
    else report(clusterReport('available'))
  }
  process.on('message', (order: JoinOrder) => {
    if (order.type === 'join') report({ type: 'phase', phase: behaviour === 'stuck' ? 'joining' : 'joined' })
  })
  if (behaviour === 'deaf') process.on('SIGTERM', () => undefined)
  process.once('disconnect', () => process.exit(0))
}

if (behaviour === 'broken') fail('the disk is upside down', false)
else if (behaviour === `port-taken-${port}`) fail(`port ${port} is taken`, true)
else serve()
