import { after } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { clientSuite } from './suite/index.js'
import { ownNamespace } from './suite/subject.js'

const server = await startApiServer({ host: false, namespaceDeletionGraceSeconds: 0 })
after(() => server.close())

clientSuite('in process', (t) => ownNamespace(t, server.client()))
