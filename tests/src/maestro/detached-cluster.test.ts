import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedCluster } from '@orrery/api'
import { fleetDirectory as filesOf } from '@orrery/fleet'
import { clientFrom, createLogger } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { grpcSource } from '@orrery/maestro/agent'
import { orrery } from '../support/cli-here.js'
import { maestroFleetDirectory, maestroOf } from '../support/maestro-fleet.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

test('up --maestro: refuses the certificate of a cluster that was detached, also while it is subscribed', async (t) => {
  const root = await maestroFleetDirectory(t)
  assert.equal((await orrery('up', '--clusters', '1', '--maestro', '--data', root, '--detach')).code, 0)
  const files = filesOf(root)
  const { agentsUrl: url, caFile } = await maestroOf(root)
  const stolen = await temporaryDirectory(t)
  for (const name of ['tls.crt', 'tls.key']) {
    await copyFile(join(files.data('cluster1'), 'hub-kubeconfig', name), join(stolen, name))
  }
  const lines: string[] = []
  const log = createLogger({ format: 'text', write: (line) => lines.push(line) })
  const credentials = {
    ca: { file: caFile },
    certificate: { file: join(stolen, 'tls.crt') },
    key: { file: join(stolen, 'tls.key') },
  }
  const source = await grpcSource({ url, credentials }, { clusterName: 'cluster1', log })
  afterwards(t, () => source.close())
  const seen = () => lines.join('')
  await eventually('the agent is subscribed', () => /connected to the server/.test(seen()), { seen })

  const hub = await clientFrom(kubeconfigSource({ path: files.kubeconfig, context: 'hub' }))
  afterwards(t, () => hub.close())
  await hub.delete(ManagedCluster, { name: 'cluster1' })
  const refused = () => /PERMISSION_DENIED.*unauthorized to subscribe the event for cluster cluster1/.test(seen())
  await eventually('the certificate is refused', refused, { seen })
})
