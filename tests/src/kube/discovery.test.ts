import { startApiServer } from '@orrery/apiserver'
import { KubeClient } from '@orrery/kube'
import { discoverySuite } from './suite/discovery.js'
import type { Connect } from './suite/subject.js'

const connect: Connect = async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  return { client: new KubeClient(server.client()), namespace: 'default' }
}

discoverySuite('in process', connect)
