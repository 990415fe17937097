import { embeddedDatabases } from '../testing/databases.fixture.js'
import { testHostileCallers } from './hostile.fixture.js'

testHostileCallers('PGlite', embeddedDatabases())
