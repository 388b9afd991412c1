import { Module } from '@nestjs/common';
import { DeletionModule } from '../deletion/deletion.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { ThreadExportRepository } from './thread-export.repository.js';
import { ThreadExportService } from './thread-export.service.js';
import { ThreadImportRepository } from './thread-import.repository.js';
import { ThreadImportService } from './thread-import.service.js';
import { ThreadShapes } from './thread-shapes.js';
import { ThreadTransferController } from './thread-transfer.controller.js';

@Module({
  imports: [JournalModule, DeletionModule],
  controllers: [ThreadTransferController],
  providers: [ThreadShapes, ThreadExportRepository, ThreadExportService, ThreadImportRepository, ThreadImportService],
  exports: [ThreadImportService],
})
export class TransferModule {}
