import { after } from 'node:test'
import { clientFrom } from '@orrery/kube'
import { clientSuite } from './suite/index.js'
import { ownNamespace } from './suite/subject.js'

const client = await clientFrom()
after(() => client.close())

clientSuite('on the cluster of the kubeconfig', (t) => ownNamespace(t, client))
