import { configure } from '@testing-library/react'

// What is waited for comes at once on a quiet machine; a busy one may take its time.
configure({ asyncUtilTimeout: 20_000 })
