import { systemClock } from '@orrery/kube/clock'
import type { Access } from '../access/access.js'
import { startCore } from '../core/core.js'
import { brokerService } from '../grpc/broker-service.js'
import { Heartbeats } from '../grpc/heartbeats.js'
import { openGrpcPort } from '../grpc/port.js'
import { sourceService } from '../grpc/source-service.js'
import { openDatabase } from '../store/database.js'

// A server in a process of its own, so that tests can kill it. It sends the numbers of its ports to its parent.
const access: Access = {
  authenticate: () => Promise.resolve({ user: 'test', groups: [] }),
  authorize: () => Promise.resolve(),
}
const database = await openDatabase({ url: process.argv[2] ?? '' })
const core = await startCore({ database })
const services = { core, access, heartbeats: new Heartbeats(systemClock, 10) }
const sources = await openGrpcPort({ service: sourceService(services) })
const agents = await openGrpcPort({ service: brokerService(services) })
process.send?.([sources.port, agents.port])
