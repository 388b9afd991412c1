import path from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { PACKAGE_ROOT } from '../../common/package-root.js';
import { ConsoleController } from './console.controller.js';
import { ConsolePageService } from './console-page.service.js';
import { PageFiles } from './page-files.js';

/** Where the build puts the page. */
const BUILT = path.join(PACKAGE_ROOT, 'dist', 'console');

/** Serves the built page at `/console/`. */
@Module({})
export class ConsoleModule {
  /** @param folder of the page; tests pass their own */
  static forRoot(folder = BUILT): DynamicModule {
    return {
      module: ConsoleModule,
      controllers: [ConsoleController],
      providers: [ConsolePageService, { provide: PageFiles, useValue: new PageFiles(folder) }],
    };
  }
}
