// Before the classes that have decorators; a bundle in parts evaluates them in another order than their modules say.
import 'reflect-metadata';
