import Logging
import Synchronization

/// The reason why a job is tried again after a certain time, and not before: no error.
struct JobPostponement: Error {
    var delay: Duration
}
