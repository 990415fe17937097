import { embeddedDatabases } from '../testing/databases.fixture.js'
import { testPorts } from './ports.fixture.js'

testPorts('PGlite', embeddedDatabases())
