import { embeddedDatabases } from '../testing/databases.fixture.js'
import { testFaults } from './faults.fixture.js'

testFaults('PGlite', embeddedDatabases())
