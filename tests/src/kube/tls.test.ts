import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { clientFrom } from '@orrery/kube'
import { clientSuite } from './suite/index.js'
import { ownNamespace } from './suite/subject.js'

const directory = await mkdtemp(join(tmpdir(), 'orrery-test-'))
const kubeconfig = join(directory, 'kubeconfig')
const server = await startApiServer({ namespaceDeletionGraceSeconds: 0 })
await writeFile(kubeconfig, await server.kubeconfig())
const client = await clientFrom(kubeconfig)
after(async () => {
  client.close()
  await server.close()
  await rm(directory, { recursive: true })
})

clientSuite('over TLS', (t) => ownNamespace(t, client))
