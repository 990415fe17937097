import { embeddedDatabases } from '../testing/databases.fixture.js'
import { testRest } from './rest-tests.fixture.js'

testRest('PGlite', embeddedDatabases())
